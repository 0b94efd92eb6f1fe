// One short tone, for those who look elsewhere until it is their turn.

const PITCH_HZ = 660;
const LOUDNESS = 0.1;
const LENGTH_S = 0.35;

let context = null;

/** Sound the tone; a page nobody has touched yet stays silent. */
export function chime() {
  context ??= new AudioContext();
  context.resume();
  const [tone, fade] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = PITCH_HZ;
  fade.gain.setValueAtTime(LOUDNESS, context.currentTime);
  fade.gain.exponentialRampToValueAtTime(LOUDNESS / 100, context.currentTime + LENGTH_S);
  tone.connect(fade).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + LENGTH_S);
}
