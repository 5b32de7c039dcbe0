import { inFlight } from "./engines/in_flight.ts";
console.log(await inFlight.run({ work: "/tmp", makes: false }));
