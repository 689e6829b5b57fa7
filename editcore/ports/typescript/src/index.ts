export { type Options, TIERS, VERSION, replace } from "./recommended.js";
export type { Edit } from "./query.js";
export type { Applied, Reason, Refused, Result } from "./place.js";
