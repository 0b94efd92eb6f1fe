// Ties the parts together: one session, one connection, and whichever screen the address and the state call for.

import { AnalysisSheet } from "./analysissheet.js";
import { Becoming } from "./becoming.js";
import { CheckSheet } from "./checksheet.js";
import { Connection } from "./connection.js";
import { Device, isLink, takeLink } from "./device.js";
import { h, setText } from "./dom.js";
import { listenForKeys } from "./keys.js";
import { Lobby } from "./lobby.js";
import { nearness, restartWords } from "./restart.js";
import { showRules } from "./rulesheet.js";
import { Session } from "./session.js";
import { Settings, storage } from "./settings.js";
import { Shuffle } from "./shuffle.js";
import { chime } from "./sound.js";
import { TableScreen } from "./table.js";
import { Talk } from "./talk.js";
import { WaitingRoom } from "./waiting.js";
import { Names, SAYINGS, askWords, eventSentence, isolated, refusalWords, speak } from "./words.js";

const MOST_SAID = 12;
const TICK_MS = 1_000;
const TOKEN = "euchre.token";
const NAME = "euchre.name";

const byId = (id) => document.getElementById(id);
let linked = takeLink(); // whom the link the page was opened with names, until it is settled whether we are that one
let kept = storage.get(TOKEN);
const isNewHere = kept === null && linked !== null; // then we are that one at once
const session = new Session(isNewHere ? { token: linked } : { token: kept, name: storage.get(NAME) });
let shown = null; // the table on the screen
let routed = false; // has the address been followed since the page opened?
let notice = null; // what the server last warned of
let restart = null; // { at, clock, putAway } of the restart it announced: when, and how near it was when put away
let naming = null; // { done, tell } while the server has not said whether it takes a new name

const app = {
  storage,
  client: new Connection({ url: socketUrl(), session, onHappenings, onStatus }),
  settings: new Settings(byId("settings"), () => draw()),
  talkRoot: h("aside", { class: "talk", "aria-label": "Table talk", hidden: true }),
  stateOf: (id) => session.tables.get(id),
  openHelp: () => byId("help").showModal(),
  openSettings() {
    const isPlaying = session.seats.has(shown) && session.tables.get(shown)?.info.state === "playing";
    app.shuffle.show(isPlaying ? shown : null);
    app.device.hide();
    app.settings.open();
  },
  /** The rules of the table of *state*, in plain words. */
  openRules: ({ id, info }) => showRules(byId("rules"), info, { onCheck: info.state === "waiting" ? null : () => app.openCheck(id) }),
  /** Check the deals of the latest finished game at a table, or of a file. */
  openCheck: (id) => app.check.open(id),
  openAnalysis: (id, names) => app.analysis.open(id, names),
  isDialogOpen: () => document.querySelector("dialog[open]") !== null,
  isAtTable: () => !byId("table").hidden,
  announce,
  isPaused: () => notice?.kind === "degraded", // no clock runs while the server cannot save
  ring: () => app.settings.get("sound") && chime(),
  show,
  join: (place) => enter("join", place),
  watch: (place) => enter("watch", place),
  linkTo: ({ id, code }) => `${location.origin}${location.pathname}#${code ? `c=${code}` : `t=${id}`}`,

  /** Take *name* from now on; resolves with whether the server takes it. It hears it in a greeting, so greet again. */
  async rename(name) {
    if (name && name !== storage.get(NAME)) {
      storage.set(NAME, name);
      session.name = name;
      if (!naming) {
        naming = {};
        naming.done = new Promise((tell) => (naming.tell = tell));
      }
      app.client.reconnect();
    }
    return naming ? naming.done : true;
  },
};

app.talk = new Talk(app.talkRoot, {
  onSay: async (said) => {
    const reply = await app.client.ask({ t: "say", table: shown, ...said });
    app.talk.say(reply.t === "refused" ? refusalWords(reply) : "");
  },
  onUnread: (count) => table.bar.showUnread(count),
  onClose: () => app.talk.toggle(false),
});
app.analysis = new AnalysisSheet(byId("analysis"), { ask: (message) => app.client.ask(message) });
app.check = new CheckSheet(byId("check"), { ask: (message) => app.client.ask(message) });
app.becoming = new Becoming(byId("becoming"), {
  ask: (message) => app.client.ask(message),
  me: () => ({ name: session.player.name, token: session.token }),
  become(token, name) {
    storage.set(TOKEN, token);
    storage.set(NAME, name);
    location.replace(location.pathname); // loaded anew, as that one
  },
});
app.device = new Device(byId("device"), { token: () => session.token, renew: renewToken });
app.shuffle = new Shuffle(byId("shuffle"), { ask: (message) => app.client.ask(message) });
const table = new TableScreen(byId("table"), app);
const lobby = new Lobby(byId("lobby"), app);
const waiting = new WaitingRoom(byId("waiting"), app);

listenForKeys(document, table, app);
setInterval(() => restart && onStatus(app.client.status), TICK_MS);
byId("banner-close").addEventListener("click", () => {
  restart.putAway = nearness(restart.at - performance.now());
  onStatus(app.client.status);
});
window.addEventListener("hashchange", route);
onStatus(app.client.status);
app.client.connect();

function socketUrl() {
  const url = new URL("ws", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  return url.href;
}

/** Somebody's own link was opened, and who we are is known: settle who we are from now on. */
function followLink() {
  const token = linked;
  linked = null;
  if (!isNewHere || session.token !== token) {
    app.becoming.offer(token);
    return;
  }
  storage.set(NAME, session.player.name);
  lobby.tell(`You are ${isolated(session.player.name)} here from now on.`);
}

/** Get another token in place of ours; resolves with what came of it. */
async function renewToken() {
  const reply = await app.client.ask({ t: "renew_token" });
  if (reply.t === "refused") return refusalWords(reply);
  storage.set(TOKEN, (kept = session.token)); // before it is used: until then the old one is good
  app.client.reconnect();
  const answer = await app.client.ask({ t: "whose", token: session.token }); // which is answered once we are welcome
  return answer.t === "refused" ? refusalWords(answer) : "This is your link from now on. The old one is worth nothing any more.";
}

/** Has this browser got another token, in another tab, since we came with ours? */
const isKnownAnew = () => ![null, session.token].includes(storage.get(TOKEN));

// ── what the server says ────────────────────────────────────────────────────────────────────────────────────────────

function onHappenings(happenings) {
  for (const happened of happenings) HEARD[happened.kind]?.(happened);
  draw();
}

/** Does *event* tell of another person who comes, goes, is away or gives somebody time, or of a clock that ran out? */
function isOfPeople({ e, seat, by, kind, why }) {
  if (e === "stood_in") return why === "clock";
  if (e === "time_given") return by !== (session.seats.get(shown) ?? null);
  const isOther = seat !== (session.seats.get(shown) ?? null) && kind !== "bot";
  return isOther && ["seated", "unseated", "went_away", "came_back"].includes(e);
}

const HEARD = {
  welcome() {
    if (session.token !== kept) storage.set(TOKEN, (kept = session.token)); // else another tab may be somebody else by now
    if (linked !== null) followLink();
    notice = null;
    restart = null; // what is still to come is told again
    onStatus(app.client.status);
    named(true);
    if (!routed) route();
  },
  hello_refused({ reply }) {
    if (reply.code === "bad_token" && isKnownAnew()) {
      location.reload();
      return;
    }
    const isOfNobody = reply.code === "bad_token" && isNewHere && linked !== null;
    if (isOfNobody) linked = null;
    lobby.say(isOfNobody ? "That link belongs to nobody here; you are a new guest." : refusalWords(reply));
    if (reply.code !== "bad_name") return;
    storage.set(NAME, null);
    named(false);
  },
  view: (happened) => at(happened, () => table.happened(happened)),
  prompt: (happened) => at(happened, () => {
    const { game, prompt } = session.tables.get(shown);
    const isNews = !table.isAsking(prompt.turn);
    table.happened(happened);
    if (!isNews || !game || !prompt.legal || prompt.seat !== session.seats.get(shown)) return;
    announce(askWords(game, prompt.legal));
    app.ring();
  }),
  event: (happened) => at(happened, () => {
    const { event, before, after } = happened;
    const names = new Names(event.e === "unseated" ? before.info : after.info, session.seats.get(shown) ?? null);
    const sentence = eventSentence(event, names, before);
    if (sentence) {
      announce(sentence);
      app.talk.addEvent(sentence, { people: isOfPeople(event) });
    }
    table.happened(happened);
  }),
  chat: (happened) => at(happened, () => {
    const { seat, name, text, preset } = happened.message;
    const words = preset ? (SAYINGS[preset] ?? preset) : text;
    const ours = session.seats.get(shown) ?? null;
    const isMine = seat === ours && (seat !== null || name === session.player.name);
    const who = seat === null ? `${name} (watching)` : name; // a watcher may have the name of one who plays
    if (app.talk.addChat(who, words, { isMine })) announce(`${who}: ${words}`);
  }),
  gone({ table: id, why }) {
    if (id !== shown) return;
    show(null);
    lobby.say(why === null ? "" : "The table was closed.");
  },
  notice({ notice: heard }) {
    if (heard.kind === "restart") restart = expected(heard.in_ms);
    else if (heard.kind !== "table_closed") notice = heard;
    onStatus(app.client.status);
  },
};

function named(isTaken) {
  naming?.tell(isTaken);
  naming = null;
}

/** Do *what* if the happening is of the table on the screen. */
function at(happened, what) {
  if (happened.table !== shown) return;
  if (session.tables.get(shown)?.game && (table.root.hidden || table.id !== shown)) openTable();
  what();
}

/** Say *sentence* to those who listen rather than look. */
function announce(sentence) {
  const said = byId("said");
  said.append(h("p", {}, speak(sentence)));
  while (said.childElementCount > MOST_SAID) said.firstChild.remove();
}

/** The restart that comes in *ms*; null where none does. */
function expected(ms) {
  if (ms === undefined) return null;
  const clock = new Date(Date.now() + ms).toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
  return { at: performance.now() + ms, clock, putAway: 0 };
}

/** What is to be said of a restart now, or nothing. */
function restartText() {
  if (restart === null) return "";
  const left = restart.at - performance.now();
  return restart.putAway >= nearness(left) ? "" : restartWords(restart.clock, left);
}

const BANNERS = {
  drain: "The server is about to restart. Your game goes on after it.",
  degraded: "The server cannot save right now; the game waits.",
};

function onStatus(status) {
  const stopped = status.state === "stopped";
  byId("stopped").hidden = !stopped;
  if (stopped) showStopped(status.why);
  const lost = notice?.kind === "drain" ? "The server restarts. Your game goes on in a moment…" : "Connection lost. Reconnecting…";
  const text = status.state === "waiting" ? lost : status.state === "connecting" ? "Connecting…" : BANNERS[notice?.kind] ?? restartText();
  byId("banner").hidden = stopped || text === "";
  setText(byId("banner-text"), text);
  byId("banner-close").hidden = text !== restartText();
}

const STOPPED = {
  replaced: ["Opened in another tab", "This seat is being played from another tab or device. Only one can play at a time.", "Play here"],
  renewed: ["You have a new link", "It was made on another device, and the old one, which this browser has, is worth nothing any more. "
    + "Open the new one here to go on as yourself.", "Go on as a new guest"],
  protocol: ["The page is out of date", "The server did not understand this page. Loading it again should help.", "Load again"],
};

function showStopped(why) {
  if (why === "renewed") {
    if (isKnownAnew()) location.reload();
    else storage.set(TOKEN, null);
  }
  const [title, words, button] = STOPPED[why];
  const act = () => (why === "replaced" ? app.client.reconnect() : location.reload());
  byId("stopped").replaceChildren(h("div", { class: "card-box" }, h("h2", { id: "stopped-title" }, title), h("p", {}, words),
    h("button", { type: "button", class: "primary", onclick: act }, button)));
}

// ── which screen ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Go where the address says: to a table we are at, or to an invitation. */
function route() {
  if (isLink() && app.client.status.state === "stopped") {
    location.reload(); // and be asked, or become that one, there
    return;
  }
  if (isLink()) {
    linked = takeLink();
    if (shown !== null) history.replaceState(null, "", `#t=${shown}`);
    if (session.player) followLink(); // else once we are welcome
    return;
  }
  routed = true;
  const [, kind, value] = /^#([tc])=([\w-]+)$/.exec(location.hash) ?? [];
  const id = kind === "c" ? (session.codes.get(value) ?? null) : (value ?? null);
  const isHere = session.seats.has(id) || session.tables.has(id);
  shown = isHere ? id : null;
  lobby.inviteTo(isHere || !value ? null : kind === "c" ? { code: value } : { table: value });
  draw();
}

/** Put the table with *id* on the screen, with the start page one step back; null for the start page itself. */
function show(id) {
  const address = id === null ? location.pathname : `#t=${id}`;
  if (id !== null && location.hash === "") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  shown = id;
  lobby.inviteTo(null);
  draw();
}

async function enter(how, place) {
  lobby.say(null);
  if (naming && !(await naming.done)) return;
  const reply = await app.client.ask({ t: how, ...place });
  if (reply.t === "refused" && reply.code !== "already_seated") lobby.say(refusalWords(reply));
  else show(reply.table ?? place.table ?? session.codes.get(place.code) ?? null);
}

function draw() {
  const state = shown === null ? null : session.tables.get(shown);
  const screen = !state ? "lobby" : state.game ? "table" : "waiting";
  if (byId(screen).hidden) window.scrollTo(0, 0); // wherever the one before was read to
  byId("waiting").hidden = screen !== "waiting";
  if (screen !== "lobby" && !byId("lobby").hidden) lobby.close();
  if (screen !== "table" && !byId("table").hidden) table.close();
  if (screen === "table") {
    if (byId("table").hidden || table.id !== shown) openTable();
    table.update();
  } else if (screen === "waiting") {
    waiting.update(state);
    document.title = `${state.info.name ?? "Table"} · Euchre`;
  } else if (session.player && (shown === null || !session.seats.has(shown))) {
    if (byId("lobby").hidden) lobby.open();
    else lobby.update();
    document.title = "Euchre";
  }
}

function openTable() {
  if (table.id !== shown) app.talk.clear();
  table.open(shown);
  app.talk.toggle(window.matchMedia("(min-width: 1200px)").matches);
}
