// The fold of events into what one viewer sees. Pure: a view and an event in, a new view out.
// The server's engine has the same fold; tests run both over the same games. `phase` and `to_act` are not folded:
// the prompt says them.

export const partnerOf = (seat) => (seat + 2) % 4;
/** Whether somebody may sit down in a seat as a table's `info`, or its row in the list, has it: an open one, or a bot of the house's. */
export const mayTake = ({ kind, level }, { bots_stay: botsStay }) => kind === "open" || (kind === "bot" && level !== null && !botsStay);
export const teamOf = (seat) => seat % 2;

export function freshView(viewer) {
  return {
    viewer, phase: null, to_act: null, score: [0, 0], hand: 0, hands_scored: 0, winner: null, over: false,
    ...freshHand(), dealer: null, counts: [0, 0, 0, 0],
  };
}

function freshHand() {
  return {
    upcard: null, upcard_fate: null, calls: [], cards: [], counts: [5, 5, 5, 5], discard: null, put_away: [],
    given: null, trump: null, maker: null, alone: [], sitting: [], leader: null, trick: [], tricks: [], won: [0, 0],
    shown: [], result: null, revealed: null,
  };
}

const withCount = (counts, seat, change) => counts.map((count, at) => (at === seat ? count + change : count));
const called = (view, seat, text) => ({ ...view, calls: [...view.calls, [seat, text]] });
const going = (alone) => ({ alone, sitting: alone.map(partnerOf) });
const made = (event) => ({ trump: event.trump, maker: event.seat, ...going(event.alone ? [event.seat] : []) });
const answered = (view, { seat, alone }, text) => ({
  ...called(view, seat, text), ...going(alone ? [...view.alone, seat] : view.alone),
});

const FOLDS = {
  hand_dealt: (view, { hand, dealer, upcard }) => ({ ...view, ...freshHand(), hand, dealer, upcard, upcard_fate: "up" }),
  cards_dealt: (view, { seat, cards }) => (seat === view.viewer ? { ...view, cards: [...cards] } : view),
  passed: (view, { seat }) => called(view, seat, "pass"),
  ordered_up: (view, event) => ({ ...called(view, event.seat, event.alone ? "order alone" : "order"), ...made(event) }),
  upcard_turned_down: (view) => ({ ...view, upcard_fate: "turned_down" }),
  trump_called: (view, event) => ({
    ...called(view, event.seat, `call ${event.trump}${event.alone ? " alone" : ""}`), ...made(event),
  }),
  upcard_taken: (view, { seat, card }) => ({
    ...view, upcard_fate: "taken", counts: withCount(view.counts, seat, 1),
    cards: seat === view.viewer ? [...view.cards, card] : view.cards,
  }),
  discarded: (view, { seat, card }) => ({
    ...view, counts: withCount(view.counts, seat, -1), discard: card,
    cards: view.cards.filter((held) => held !== card),
  }),
  upcard_left: (view) => ({ ...view, upcard_fate: "left" }),
  alone_decided: (view, event) => answered(view, event, event.alone ? "alone" : "together"),
  defence_decided: (view, event) => answered(view, event, event.alone ? "defend alone" : "defend together"),
  card_given: (view, { seat, to, card }) => ({
    ...view, counts: withCount(withCount(view.counts, seat, -1), to, 1),
    ...(card === null ? {}
      : seat === view.viewer ? { cards: view.cards.filter((held) => held !== card), given: card }
      : { cards: [...view.cards, card], given: card === view.given ? null : view.given }),
  }),
  relief_asked: (view, { seat, cards }) => ({ ...called(view, seat, "relief"), shown: [...view.shown, [seat, cards]] }),
  cards_swapped: (view, { given, taken }) => ({
    ...view, cards: [...view.cards.filter((held) => !given.includes(held)), ...taken],
    put_away: given.length ? [...given] : view.put_away,
  }),
  rest_claimed: (view, { seat, cards, tricks }) => ({
    ...view, won: withCount(view.won, teamOf(seat), tricks), shown: [...view.shown, [seat, cards]],
  }),
  play_started: (view, { leader, sitting, alone }) => ({ ...view, leader, sitting: [...sitting], alone: [...alone] }),
  card_played: (view, { seat, card }) => ({
    ...view, trick: [...view.trick, [seat, card]], counts: withCount(view.counts, seat, -1),
    cards: seat === view.viewer ? view.cards.filter((held) => held !== card) : view.cards,
  }),
  trick_won: (view, { seat }) => ({
    ...view, leader: seat, trick: [], tricks: [...view.tricks, { winner: seat, cards: view.trick }],
    won: withCount(view.won, teamOf(seat), 1),
  }),
  hand_thrown_in: (view) => view,
  hand_scored: (view, { e, ...result }) => ({
    ...view, result, score: [...result.score], hands_scored: view.hands_scored + 1,
  }),
  hands_revealed: (view, { e, ...revealed }) => ({ ...view, revealed }),
  secret_revealed: (view) => view,
  game_over: (view, { winner }) => ({ ...view, over: true, winner }),
};

/** Is this an event of the game, rather than of the table around it? */
export const isGameEvent = (event) => event.e in FOLDS;

/** The view after *event*. An event of a kind this page does not know changes nothing it can show. */
export function advance(view, event) {
  const fold = FOLDS[event.e];
  return fold ? { ...fold(view, event), phase: null, to_act: null } : view;
}

const withSeat = (info, seat, change) => ({
  ...info, seats: info.seats.map((at) => (at.seat === seat ? { ...at, ...change } : at)),
});

const TABLE_FOLDS = {
  seated: (info, { seat, kind, name, level, version, owner }) => withSeat(info, seat, {
    kind, name, level: level ?? null, version: version ?? null, owner: owner ?? null, away: false, online: true,
  }),
  unseated: (info, { seat }) => withSeat(info, seat, {
    kind: "open", name: null, level: null, version: null, owner: null, away: false, online: false,
  }),
  host_changed: (info, { seat }) => ({ ...info, host: seat }),
  game_started: (info) => ({ ...info, state: "playing" }),
  deal_committed: (info, { commit }) => ({ ...info, commit }),
  game_over: (info) => ({ ...info, state: "over" }),
  went_away: (info, { seat }) => withSeat(info, seat, { away: true }),
  came_back: (info, { seat }) => withSeat(info, seat, { away: false }),
};

/** What is known of the table after *event*. */
export const advanceTable = (info, event) => TABLE_FOLDS[event.e]?.(info, event) ?? info;
