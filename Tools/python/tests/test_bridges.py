"""The bridges of the page "From Java and Node", and the program of "From C", as they stand there.

They use the library as it is installed, with its file for pkg-config; RECEIPTVERIFY_PACKAGE names its folder. A language
that is not installed with its headers is skipped.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, SAMPLES

PAGES = ROOT / "Sources" / "ReceiptVerification" / "ReceiptVerification.docc"
PACKAGE = os.environ.get("RECEIPTVERIFY_PACKAGE")

pytestmark = pytest.mark.skipif(not PACKAGE, reason="RECEIPTVERIFY_PACKAGE is not set")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```\n", (PAGES / page).read_text(), re.DOTALL)


@pytest.fixture
def work(tmp_path, policy):
    for sample in SAMPLES.iterdir():
        shutil.copy(sample, tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    return tmp_path


def run(command, work, **variables):
    library = f"{PACKAGE}/lib"
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{library}/pkgconfig", "LD_LIBRARY_PATH": library, **variables}
    done = subprocess.run(
        ["sh", "-ec", command], cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_c(work):
    (work / "verify.c").write_text(blocks("FromC.md", "c")[0])
    run(blocks("FromC.md", "sh")[0].replace("cc ", "cc -Wall -Wextra -Werror ", 1), work)
    assert json.loads(run("./verify policy.json transaction.jws", work))["verdict"] == "verified"


def java_home():
    compiler = shutil.which("javac")
    home = Path(compiler).resolve().parent.parent if compiler else None
    return home if home and (home / "include" / "jni.h").exists() else None


@pytest.mark.skipif(java_home() is None, reason="there is no Java with headers")
def test_java(work):
    page = "FromJavaAndNode.md"
    (work / "ReceiptVerifier.java").write_text(blocks(page, "java")[0])
    (work / "receiptverify_jni.c").write_text(blocks(page, "c")[0])
    (work / "Main.java").write_text("""
        import java.nio.file.*;

        public class Main {
            public static void main(String[] names) throws Exception {
                String policy = Files.readString(Path.of("policy.json"));
                try (var verifier = new ReceiptVerifier(policy, ".")) {
                    byte[] receipt = Files.readAllBytes(Path.of(names[0]));
                    String expected = verifier.verify(receipt);
                    var threads = new Thread[8];
                    for (int i = 0; i < threads.length; i++) {
                        threads[i] = new Thread(() -> {
                            for (int n = 0; n < 200; n++)
                                if (!verifier.verify(receipt).equals(expected)) System.exit(3);
                        });
                        threads[i].start();
                    }
                    for (var thread : threads) thread.join();
                    System.out.println(expected);
                }
                try {
                    new ReceiptVerifier("{}", ".");
                    System.exit(4);
                } catch (IllegalArgumentException error) {
                    System.out.println(error.getMessage());
                }
            }
        }
        """)
    home = {"JAVA_HOME": str(java_home())}
    run(blocks(page, "sh")[0].replace("cc ", "cc -Wall -Wextra -Werror ", 1), work, **home)
    start = '"$JAVA_HOME/bin/javac" Main.java; "$JAVA_HOME/bin/java" -Xcheck:jni -Djava.library.path=. Main'
    for name, verdict in (("transaction.jws", "verified"), ("tampered.jws", "unverified")):
        output = run(f"{start} {name}", work, **home).splitlines()
        results = [json.loads(line) for line in output if line.startswith("{")]
        assert [result["verdict"] for result in results] == [verdict], output
        assert any("schema" in line and "expected" in line for line in output), output


@pytest.mark.skipif(
    not shutil.which("node") or not Path("/usr/include/node/node_api.h").exists(), reason="there is no Node with headers")
def test_node(work):
    page = "FromJavaAndNode.md"
    (work / "receiptverify_node.c").write_text(blocks(page, "c")[1])
    (work / "use.js").write_text(blocks(page, "javascript")[0])
    run(blocks(page, "sh")[1].replace("cc ", "cc -Wall -Wextra -Werror ", 1), work)
    assert run("node use.js", work) == "200000000000042 com.example.app.premium.monthly\n"
    (work / "misuse.js").write_text("""
        const assert = require('node:assert');
        const { create, verify } = require('./receiptverify.node');
        const fs = require('node:fs');
        const verifier = create(fs.readFileSync('policy.json'), Buffer.from('.'));
        assert.strictEqual(JSON.parse(verify(verifier, fs.readFileSync('tampered.jws'))).verdict, 'unverified');
        for (const wrong of [() => create(), () => create(Buffer.from('{}')), () => verify({}, Buffer.from('a')),
                             () => verify(verifier, 'a'), () => verify(verifier)]) assert.throws(wrong, TypeError);
        assert.throws(() => create(Buffer.from('{}'), Buffer.from('.')), /schema/);
        for (let n = 0; n < 2000; n++) create(fs.readFileSync('policy.json'), Buffer.from('.'));
        """)
    run("node misuse.js", work)
