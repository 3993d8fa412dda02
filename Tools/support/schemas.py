"""Compares the JSON Schemas of verify-receipt with its output and with the policy files that it accepts.

Called by Tools/schemas: schemas.py PROGRAM PACKAGE COUNT
"""

import collections
import copy
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator

SEED = 20261123
PREFIX = "verify-receipt/"
CONFIG = "verify-receipt/config-1"
RESPONSE = "verify-receipt/legacy-response-1"


def without_others(schema):
    """Returns a schema that allows only the members that it names; output can get members, but not by accident."""
    if isinstance(schema, list):
        return [without_others(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: without_others(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        schema.setdefault("additionalProperties", False)
    return schema


class Schemas:
    def __init__(self, program):
        self.validators = {}
        self.seen = collections.Counter()
        self.differences = []
        for line in run([program, "--json-schema"]).splitlines():
            schema = json.loads(line)
            Draft202012Validator.check_schema(schema)
            name = schema["title"]
            self.validators[name] = Draft202012Validator(schema if name == CONFIG else without_others(schema))

    def check(self, text, place, name=None):
        """Checks an object, which names its schema unless a response has the shape of another program."""
        value = json.loads(text)
        name = name or value.get("schema")
        if name not in self.validators:
            self.differences.append(f"{place}: there is no schema {name}")
            return
        self.seen[name] += 1
        for error in self.validators[name].iter_errors(value):
            self.differences.append(f"{place}: {name}: {error.json_path}: {error.message[:300]}")
            break


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **options).stdout.decode()


# Output


def check_transcripts(schemas, folder):
    for file in sorted(folder.glob("*.txt")):
        command = ""
        for number, line in enumerate(file.read_text().split("\n"), 1):
            command = line if line.startswith("$ ") else command
            # What sed has changed is not what the tool has printed.
            if not line.startswith('> {"schema":"' + PREFIX) or "| sed " in command:
                continue
            try:
                json.loads(line[2:])
            except ValueError:
                continue  # The command has cut or changed the line.
            schemas.check(line[2:], f"{file.name}:{number}")


def texts_of_vectors(folder):
    for file in sorted(folder.glob("*.json")):
        for group in json.loads(file.read_text()).get("groups", []):
            for test in group.get("tests", []):
                for member in ("jws", "text", "input"):
                    if isinstance(test.get(member), str) and test[member].strip():
                        yield test[member]


def check_output(schemas, program, package):
    samples = package / "TestVectors" / "samples"
    trust = ["--root", str(package / "TestVectors/samples/root.der"), "--quiet"]
    roots = sorted((package / "TestVectors" / "roots").glob("*"))
    more = [argument for root in roots for argument in ("--root", str(root))]
    if run([program, "roots", *more]) == "":
        more = []
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        files = []
        for number, text in enumerate(texts_of_vectors(package / "TestVectors")):
            file = work / f"{number:05}"
            file.write_text(text, errors="surrogatepass")
            files.append(str(file))
        files += [str(file) for file in sorted(samples.iterdir()) if file.suffix in (".jws", ".json")]
        lines = work / "lines.jsonl"
        lines.write_text("".join(json.dumps({"id": n, "r": Path(f).read_text()}) + "\n" for n, f in enumerate(files)))
        (work / "vectors").mkdir()
        (work / "vectors" / "v.json").write_text(json.dumps({
            "schema": "receipt-vectors-1", "numberOfTests": 1,
            "groups": [{"type": "base64url", "tests": [{"id": 1, "text": "AA"}]}]}))
        commands = [[program, command, "--json", *trust, *more, *files[at : at + 500]]
                    for command in ("verify", "explain") for at in range(0, len(files), 500)]
        commands += [[program, "inspect", "--json", "--quiet", *files[at : at + 500]] for at in range(0, len(files), 500)]
        batch = [program, "batch", str(lines), "--field", "r", *trust, *more]
        commands += [
            [*batch, "--payload", "--keep", "all", "--every-record", "--summary"], [*batch, "--summary"],
            [*batch, "--fields", "verdict,code,price,data.status", "--keep", "id"], [*batch, "--count-by", "verdict,kind"],
            [*batch, "--count-by", "month", "--sum", "price"],
            [program, "batch", "/dev/null", "--summary", "--quiet"], [program, "codes", "--json"],
            [program, "roots", "--json", *more], [program, "roots", "check", "--json", str(samples / "root.der")],
            [program, "vectors", "--json", str(work / "vectors")],
        ]
        for command in commands:
            for line in run(command, cwd=work).splitlines():
                schemas.check(line, " ".join(command[1:3]))
        check_responses(schemas, program, work)
        run([program, "mint", "--quiet", "--authority", "authority", "--all-flaws", "flaws"], cwd=work)
        for line in (work / "flaws" / "specimens.jsonl").read_text().splitlines():
            schemas.check(line, "mint --all-flaws")


def check_responses(schemas, program, work):
    mint = [program, "mint", "--quiet", "--authority", "authority", "--kind", "app-receipt"]
    forms = [
        [], ["--form", "sha1"], ["--environment", "Production"], ["--type", "consumable"], ["--set", "26=5"],
        ["--set", "applicationVersion=null", "--set", "downloadId=null", "--set", "appAppleId=null"],
        ["--set", "expirationDate=+P1D"], ["--set", "originalPurchaseDate=0001-01-01T00:00:00Z"],
    ]
    respond = [program, "legacy-response", "-", "--quiet", "--root", "authority/app-receipt-root.der"]
    for form in forms:
        receipt = run([*mint, *form], cwd=work).encode()
        for options in ([], ["--exclude-old-transactions"], ["--bundle-id", "com.example.other"]):
            for line in run([*respond, *options], cwd=work, input=receipt).splitlines():
                schemas.check(line, "legacy-response", RESPONSE)
        for line in run([*respond, "--subscriptions"], cwd=work, input=receipt).splitlines():
            schemas.check(line, "legacy-response --subscriptions")


# Policy files


def strictly(text):
    """Parses JSON as strictly as the package: no repeated member, no constant and no half of a surrogate pair."""

    def members(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError("a repeated member")
        return dict(pairs)

    def constant(name):
        raise ValueError(name)

    value = json.loads(text, object_pairs_hook=members, parse_constant=constant)
    json.dumps(value, ensure_ascii=False).encode()
    return value


class Policies:
    """Makes random policy files."""

    ENVIRONMENTS = ["Production", "Sandbox", "Xcode", "LocalTesting"]
    KINDS = ["transaction", "renewalInfo", "notification", "appTransaction", "realtimeRequest", "playPurchase"]
    NAMES = ["$schema", "schema", "apps", "roots", "onlyGivenRoots", "kinds", "strict", "refuseRevoked", "distrust",
             "bundleId", "appAppleId", "environments", "products", "playPackage", "playKey", "playKeyFile", "file",
             "pem", "bundelId", "", "x"]
    VALUES = [None, True, 0, 1, 1.0, 1.5, -1, 2**53 - 1, 2**53, 1e300, "", "a", "a b", "a\n", "é", "\u0000", "Production",
              "production", "x" * 255, "x" * 256, "0a" * 32, "0A" * 32, "0a" * 32 + "\n", [], ["a"], ["a", "a"], {}, [[]],
              ["Sandbox"], "verify-receipt/config-1", "verify-receipt/config-2"]

    def __init__(self, seed, key):
        self.random = random.Random(seed)
        self.key = key

    def some(self, values):
        return self.random.sample(values, self.random.randint(1, len(values)))

    def chance(self, share=0.3):
        return self.random.random() < share

    def roots(self):
        # One root, with the same environments everywhere: what else is allowed, no schema can say.
        return [{"file": "root.der", "environments": self.limit} for _ in range(self.random.randint(1, 2))]

    def app(self, number):
        app = {}
        kind = self.random.choice(["app", "play", "both"])
        if kind != "play":
            app |= {"bundleId": f"com.example.App_{number}-x", "environments": self.some(self.ENVIRONMENTS)}
            if self.chance():
                app["appAppleId"] = self.random.choice([1, 77.0, 1234567890, 2**53 - 1])
            if self.chance():
                app["roots"] = self.roots()
        if kind != "app":
            app["playPackage"] = f"com.example.p{number}"
            app |= {"playKey": self.key} if self.chance() else {"playKeyFile": "key.txt"}
        if self.chance():
            app["products"] = self.some(["a", "com.example.pro", "x_1", "~!"])
        if self.chance():
            app["strict"] = self.chance()
        return app

    def valid(self):
        self.limit = self.some(self.ENVIRONMENTS)
        policy = {"schema": CONFIG, "apps": [self.app(number) for number in range(self.random.randint(1, 4))]}
        for name, value in [("roots", self.roots()), ("onlyGivenRoots", self.chance()), ("kinds", self.some(self.KINDS)),
                            ("strict", self.chance()), ("refuseRevoked", self.chance()), ("$schema", "x"),
                            ("distrust", ["0a" * 32, "0B" * 32, {"file": "root.der"}])]:
            if self.chance():
                policy[name] = value
        return policy

    def places(self, value):
        """Returns each object and array in a value."""
        found = [value] if isinstance(value, (dict, list)) else []
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return found + [place for child in children for place in self.places(child)]

    def changed(self, policy):
        policy = copy.deepcopy(policy)
        for _ in range(self.random.randint(1, 2)):
            place = self.random.choice(self.places(policy))
            if isinstance(place, list):
                action = self.random.choice(["add", "remove", "replace", "repeat"])
                if action == "add" or not place:
                    place.append(self.random.choice(self.VALUES))
                elif action == "remove":
                    place.pop(self.random.randrange(len(place)))
                elif action == "repeat":
                    place.append(copy.deepcopy(self.random.choice(place)))
                else:
                    place[self.random.randrange(len(place))] = copy.deepcopy(self.random.choice(self.VALUES))
            elif place and self.chance(0.4):
                place.pop(self.random.choice(sorted(place)))
            else:
                name = self.random.choice(sorted(place) + self.NAMES)
                place[name] = copy.deepcopy(self.random.choice(self.VALUES))
        return policy


def beyond_schema(policy):
    """Returns whether a policy breaks a rule that no schema can express: a repeated app or digest, or a file or key."""
    names = collections.Counter()
    for app in policy["apps"]:
        names.update(f"{member} {app[member]}" for member in ("bundleId", "playPackage") if member in app)
        if app.get("playKey", None) == "a" or app.get("playKeyFile", "key.txt") != "key.txt":
            return True
    limits = set()
    for roots in [policy.get("roots", [])] + [app.get("roots", []) for app in policy["apps"]]:
        for root in roots:
            limits.add(tuple(sorted(root["environments"])))
            if root.get("file") != "root.der":
                return True
    for distrusted in policy.get("distrust", []):
        if isinstance(distrusted, dict) and distrusted.get("file") != "root.der":
            return True
    digests = [value.lower() for value in policy.get("distrust", []) if isinstance(value, str)]
    if len(set(digests)) < len(digests):
        return True
    keys = [app["playKey"] for app in policy["apps"] if "playKey" in app]
    return max(names.values()) > 1 or len(limits) > 1 or any(len(key) < 300 for key in keys)


def check_policies(schemas, program, package, count):
    samples = package / "TestVectors" / "samples"
    validator = schemas.validators[CONFIG]
    policies = Policies(SEED, (samples / "play-key.txt").read_text().strip())
    results = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "root.der").write_bytes((samples / "root.der").read_bytes())
        (work / "key.txt").write_bytes((samples / "play-key.txt").read_bytes())
        for number in range(count):
            policy = policies.valid()
            text = json.dumps(policy if number % 3 == 0 else policies.changed(policy))
            if number % 20 == 1:
                text = text[:-1] + ',"strict":true,"strict":true}'
            (work / "policy.json").write_text(text)
            code = subprocess.run([program, "config", "check", "policy.json"], cwd=work, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                value = strictly(text)
                expected = validator.is_valid(value)
            except ValueError:
                expected = False
            if expected and beyond_schema(value):
                results["beyond the schema"] += 1
                expected = False
            results["valid" if expected else "invalid"] += 1
            if number % 3 == 0 and number % 20 != 1 and not expected:
                schemas.differences.append(f"a policy that should be valid: {text}")
            if code.returncode != (0 if expected else 2):
                schemas.differences.append(f"policy: exit code {code.returncode}, schema {expected}: {text[:2000]}\n"
                                           + code.stderr.decode())
    return results


def main():
    program, package, count = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3])
    schemas = Schemas(program)
    check_transcripts(schemas, package / "Tests/VerifyReceiptTests/Transcripts")
    check_output(schemas, str(program), package)
    results = check_policies(schemas, str(program), package, count)
    for name in schemas.validators:
        print(f"{name}: {schemas.seen[name]} objects")
        if not schemas.seen[name] and name != CONFIG:
            schemas.differences.append(f"no object of {name} was seen")
    print("policies: " + ", ".join(f"{count} {name}" for name, count in sorted(results.items())))
    for difference in schemas.differences[:20]:
        print(f"schemas: {difference}", file=sys.stderr)
    print(f"{len(schemas.differences)} differences")
    sys.exit(1 if schemas.differences else 0)


main()
