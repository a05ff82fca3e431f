/**
 * What the API sends, as far as the page reads it. Nothing here runs: other modules only refer to these types.
 *
 * @typedef {{name: string, labels?: Object<string, string>, points: [string, number][]}} Curve
 * @typedef {{at: string, end?: string, text: string, severity?: string, lane?: string, role?: string,
 *            points?: [string, number][], unit?: string}} TimelineEvent
 * @typedef {{text: string, severity?: string, evidence?: string[]}} Finding
 * @typedef {{[key: string]: any, type: string, title?: string}} Block
 * @typedef {{id: string, tool: string, args?: any, ok?: boolean, summary?: string, ms?: number, words?: string}} Call
 * @typedef {{kind?: string, system?: string, address?: string, connect?: string, parts?: Source[]}} Source
 * @typedef {{id?: string, kind?: string, message?: string, text?: string, summary?: string, on?: string, options?: any[],
 *            blocks?: Block[], source?: Source}} Question
 * @typedef {{error_type?: string, message?: string, suggestion?: string}} Failure
 * @typedef {{agent?: string, run_id?: string, status?: string, answer?: string, question?: Question | null,
 *            error?: Failure | null, blocks?: Block[], source?: Source | null, not_covered?: string[],
 *            evidence?: Call[], timings_ms?: Object<string, number>, parts?: Answer[]}} Answer
 * @typedef {{run_id: string, said: string, started_at: string, agent: string, status: string, answer: Answer | null,
 *            replies: {question: string, reply: string}[], feedback?: {value: string} | null}} Turn
 * @typedef {{thread_id: string, title?: string, created_at: string, updated_at: string, status: string,
 *            agent?: string, metadata: Object<string, any>}} Thread
 * @typedef {{type: string, kind?: string, node?: string, id?: string, tool?: string, args?: any, ok?: boolean,
 *            success?: boolean, summary?: string, result?: string, ms?: number, words?: string, agent?: string,
 *            error?: string}} StepEvent
 * @typedef {{name: string, about: string, examples: string[], source: Source | null, is_offered: boolean,
 *            is_default: boolean}} Agent
 * @typedef {{ok: boolean | null, message: string}} Health
 * @typedef {Source & {data: string, agents: string[], in_use: boolean, health: Health | null}} System
 * @typedef {{kind: string, systems: System[], model: {name: string, address: string, health: Health}}} Connections
 */
export {};
