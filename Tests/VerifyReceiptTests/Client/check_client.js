// Runs the Node program of the documentation, which precedes this text: COUNT requests at once, a killed process, and
// COUNT further requests. Each request has one answer.
const fs = require('node:fs');
const [program, samples, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];

const valid = fs.readFileSync(`${samples}/transaction.jws`, 'utf8').trim();
const receipts = [[valid, 'verified'], [valid.slice(0, -8), 'unverified'], ['', 'undecided'], ['\n"}', 'undecided']];
const options = ['--root', `${samples}/root.der`, '--only-given-roots'];
const verify = startVerifier(options, { program, timeout: 60000 });

async function round() {
    const results = await Promise.all(
        Array.from({ length: count }, (_, number) => verify(receipts[number % receipts.length][0])));
    return results.filter((result, number) => result.verdict !== receipts[number % receipts.length][1]);
}

async function main() {
    const wrong = await round();
    const late = [verify(valid), verify(valid)];
    verify.close();
    const answers = await Promise.all(late);
    wrong.push(...answers.filter((answer) => answer.code !== 'no-answer'), ...await round());
    const stalled = startVerifier(['60'], { program: 'sleep-like', timeout: 60000 });
    if ((await stalled(valid)).code !== 'no-answer') wrong.push('a program that does not exist');
    verify.close();
    console.log(`${2 * count} requests, ${wrong.length} wrong`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
}

main();
