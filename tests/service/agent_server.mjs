// Uses the service through the public JavaScript client of LangGraph's Agent Server; prints what it found as JSON.
import { Client } from "@langchain/langgraph-sdk";

const [apiUrl, apiKey] = process.argv.slice(2);
const client = new Client({ apiUrl, apiKey });
const told = {};

const thread = await client.threads.create({ metadata: { subject: "js" } });
const id = thread.thread_id;
told.waited = (await client.runs.wait(id, "Hello", { input: { name: "JS" } })).answer;

const kinds = [];
for await (const part of client.runs.stream(id, "Hello", { input: { name: "again" }, streamMode: ["values", "updates"] }))
  kinds.push(part.event);
told.kinds = kinds;

const asked = await client.runs.wait(id, "Review", { input: { text: "Hi" } });
told.asked = asked.__interrupt__[0].value.message;
told.status = (await client.threads.get(id)).status;
told.resumed = (await client.runs.wait(id, "Review", { command: { resume: "approve" } })).answer;

const state = await client.threads.getState(id);
const history = await client.threads.getHistory(id, { limit: 50 });
told.history = [state.values.answer, history.length > 3];
const before = history.find((one) => one.next[0] === "Approve").checkpoint;
told.again = (await client.runs.wait(id, "Review", { checkpoint: before })).__interrupt__[0].value.message;
await client.threads.updateState(id, { values: { text: "Ho" } });
told.updated = (await client.runs.wait(id, "Review", { input: null })).__interrupt__[0].value.message;

const later = await client.runs.create(id, "Hello", { input: { name: "later" }, afterSeconds: 1 });
told.later = [later.status, (await client.runs.join(id, later.run_id)).answer.split("\n")[0]];
const batch = await client.runs.createBatch(["a", "b"].map((name) => ({ assistantId: "Hello", input: { name } })));
told.batch = batch.length;
told.copy = (await client.threads.copy(id)).metadata.subject;
told.found = (await client.threads.search({ metadata: { subject: "js" } })).length;
told.count = await client.threads.count({ metadata: { subject: "js" } });

const own = await client.assistants.create({ graphId: "Hello", name: "Mine", context: { name: "Eve" } });
await client.assistants.update(own.assistant_id, { name: "Mine too", context: { name: "Eva" } });
told.versions = (await client.assistants.getVersions(own.assistant_id)).map((one) => one.version);
told.own = (await client.runs.wait(null, own.assistant_id, { input: {} })).answer;
await client.assistants.delete(own.assistant_id);

await client.store.putItem(["notes", "js"], "one", { text: "Hi" });
told.item = (await client.store.getItem(["notes", "js"], "one")).value.text;
told.items = (await client.store.searchItems(["notes"], { filter: { text: "Hi" } })).items.length;
told.namespaces = (await client.store.listNamespaces({})).namespaces;
await client.store.deleteItem(["notes", "js"], "one");
told.gone = await client.store.getItem(["notes", "js"], "one");

const cron = await client.crons.createForThread(id, "Hello", { schedule: "0 8 * * 1", input: { name: "x" } });
told.crons = (await client.crons.search({ threadId: id })).map((one) => one.schedule);
await client.crons.delete(cron.cron_id);

await client.threads.delete(id);
told.missing = await client.threads.get(id).catch((error) => error.status);
console.log(JSON.stringify(told));
