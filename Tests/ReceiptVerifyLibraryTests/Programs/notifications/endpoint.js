// Receives App Store Server Notifications: verifies each, records it, then answers.
const { execFile } = require('node:child_process');
const { createServer } = require('node:http');

const [policy, database, port, seconds] = process.argv.slice(2);
const limit = 1 << 20;
let running = 0;

/** Returns the output of a program, which is killed at the deadline; another exit code than those given is an error. */
function run(program, options, input, codes, deadline) {
    return new Promise((resolve, reject) => {
        const timeout = Math.max(deadline - Date.now(), 1);
        const settings = { timeout, killSignal: 'SIGKILL', maxBuffer: 1 << 26 };
        const child = execFile(program, options, settings, (error, output) =>
            error && !codes.includes(error.code) ? reject(error) : resolve(output));
        child.stdin.on('error', () => {});
        child.stdin.end(input);
    });
}

const text = (value) => `CAST(x'${Buffer.from(value).toString('hex')}' AS TEXT)`;

/** Returns the HTTP status for a body: 200 only after the database has the notification. */
async function receive(body) {
    const deadline = Date.now() + seconds * 1000;
    const options = ['--json', '--quiet', '--config', policy, '--kind', 'notification', '-'];
    const results = (await run('verify-receipt', options, body, [0, 1, 3], deadline)).trim().split('\n');
    const result = JSON.parse(results[0]);
    if (result.verdict !== 'verified' || results.length > 1) {
        console.error(result.code ?? 'several receipts', result.message);
        return result.retryable ? 503 : 400;
    }
    const sql = `.timeout ${seconds * 1000}\nINSERT INTO delivery VALUES (${text(body)}, ${text(results[0])});\n`;
    await run('sqlite3', ['-bail', '-init', '/dev/null', database], sql, [0], deadline);
    return 200;
}

const server = createServer({ requestTimeout: seconds * 1000 }, async (request, response) => {
    const answer = (status) => response.writeHead(status, { 'Content-Length': 0 }).end();
    if (request.method !== 'POST') return answer(405);
    if (++running > 64) answer(503);
    else {
        const pieces = [];
        let length = 0;
        try {
            for await (const piece of request) {
                if ((length += piece.length) > limit) break;
                pieces.push(piece);
            }
            answer(length > limit ? 413 : await receive(Buffer.concat(pieces)));
        } catch (error) { // the deadline, or the database: the store has to send it again
            console.error(String(error).slice(0, 200));
            answer(503);
        }
    }
    running--;
});
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port));
