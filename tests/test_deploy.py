"""Tests of the files in deploy/ and of the operator's pages: whatever they name exists in the sources, under that name."""

import http.client
import json
import re
import tempfile
import tomllib
import unittest
import urllib.parse
from pathlib import Path

import yaml

from services import ClickHouseFront

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
METRIC = re.compile(r"\bassay_(?:stream|project)_[a-z_]+")


def read(path: str) -> str:
    """A file of the repository."""
    return (ROOT / path).read_text(encoding="utf-8")


def documents(path: Path) -> list[dict]:
    """The documents of a YAML file."""
    return [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]


def struct(source: str, name: str) -> list[tuple[str, str, str]]:
    """The fields of a struct: attributes, name and type of each."""
    body = re.search(rf"struct {name} \{{\n(.*?)\n\}}", source, re.DOTALL)
    if body is None:
        raise AssertionError(f"there is no struct {name}")
    lines = re.sub(r"^\s*//.*$", "", body[1], flags=re.MULTILINE)
    field = re.compile(r"((?:\s*#\[.*\]\s*\n)*)\s*pub(?:\(crate\))? (\w+): (.*),$", re.MULTILINE)
    return field.findall(lines)


def metrics() -> dict[str, tuple[str, set[str]]]:
    """Every metric of the sources: its kind and the names of its labels."""
    found: dict[str, tuple[str, set[str]]] = {}
    for path in (ROOT / "pipeline/src").rglob("*.rs"):
        for kind, name, rest in re.findall(r'(?<!describe_)(counter|gauge|histogram)!\(\s*"(assay_\w+)"([^)]*)', path.read_text(encoding="utf-8")):
            labels = found.setdefault(name, (kind, set()))[1]
            labels.update(re.findall(r'"(\w+)" =>', rest))
    return found


def series() -> dict[str, set[str]]:
    """Every series that Prometheus gets, with the labels of its own."""
    names: dict[str, set[str]] = {}
    for name, (kind, labels) in metrics().items():
        if kind == "histogram":
            names |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
        else:
            names[name] = labels
    return names


def expressions() -> dict[str, str]:
    """Every PromQL expression, by where it stands."""
    rules = documents(DEPLOY / "prometheus/alerts.yml")[0]["groups"]
    found = {rule["alert"]: rule["expr"] for group in rules for rule in group["rules"]}
    for panel in dashboard("operations")["panels"]:
        for target in panel["targets"]:
            found[f"{panel['title']} {target['refId']}"] = target["expr"]
    return found


def dashboard(name: str) -> dict:
    """A dashboard."""
    return json.loads(read(f"deploy/grafana/dashboards/{name}.json"))


def settings() -> dict[str, set[str]]:
    """The keys of each section; those before any section under the empty name."""
    sources = "\n".join(read(f"src/config/{name}.rs") for name in ("mod", "cluster"))
    sources += read("pipeline/src/kafka/settings.rs") + read("pipeline/src/stream/settings.rs")
    known: dict[str, set[str]] = {"": set()}
    for _, field, kind in struct(sources, "Config"):
        if kind.startswith("Option<"):
            known[""].add(field.replace("_", "-"))
        else:
            known[field] = {
                key.replace("_", "-")
                for attributes, key, _ in struct(sources, kind)
                if "serde(skip)" not in attributes
            }
    return known


def flags() -> dict[str, set[str]]:
    """The flags of each command that deploy/ runs."""
    sources = read("src/cli.rs") + read("src/cli/cluster.rs") + read("src/cli/stream.rs")

    def of(name: str) -> set[str]:
        found = set()
        for attributes, field, kind in struct(sources, name):
            if "flatten" in attributes:
                found |= of(kind.split("::")[-1])
            elif named := re.search(r'long = "([^"]+)"', attributes):
                found.add(f"--{named[1]}")
            elif re.search(r"\blong\b", attributes):
                found.add(f"--{field.replace('_', '-')}")
        return found

    everywhere = of("GlobalFlags")
    return {name.lower(): of(name) | everywhere for name in ("Stream", "Project", "Migrate", "Rebuild")}


def secrets() -> set[str]:
    """The variables of passwords, which are no settings."""
    return set(re.findall(r': &str = "(ASSAY_\w+__\w+)"', read("src/config/environment.rs")))


def programs() -> list[tuple[str, list[str], set[str]]]:
    """Every container that runs assay: its name, its arguments, and the variables that it gets."""
    found = []
    for name, service in documents(DEPLOY / "compose.yaml")[0]["services"].items():
        if service["image"].startswith("assay:"):
            found.append((name, service["command"], set(service["environment"])))
    for pod in pods():
        for container in pod["containers"]:
            found.append((container["name"], container["args"], {entry["name"] for entry in container["env"]}))
    return found


def pods() -> list[dict]:
    """The pods of the manifests."""
    workloads = [document for path in (DEPLOY / "kubernetes").glob("*.yaml") for document in documents(path)]
    return [document["spec"]["template"]["spec"] for document in workloads if document["kind"] in ("Deployment", "Job")]


def configurations() -> dict[str, dict]:
    """Every settings file."""
    config = documents(DEPLOY / "kubernetes/config.yaml")[0]["data"]["assay.toml"]
    return {"compose": tomllib.loads(read("deploy/assay.toml")), "kubernetes": tomllib.loads(config)}


class SourcesTest(unittest.TestCase):
    """What this module reads from the sources is there, so that nothing below holds for want of names."""

    def test_the_readers_find_what_is_known_to_be_there(self) -> None:
        self.assertIn("assay_stream_stage_seconds_bucket", series())
        self.assertEqual(series()["assay_project_retries_total"], {"class"})
        self.assertIn("batch-age-ms", settings()["project"])
        self.assertNotIn("sasl-password", settings()["kafka"])
        self.assertLess({"--clickhouse", "--config", "--watch", "--until-idle", "--brokers"}, flags()["project"])
        self.assertEqual(secrets(), {"ASSAY_KAFKA__SASL_PASSWORD", "ASSAY_CLICKHOUSE__PASSWORD"})


class WatchingTest(unittest.TestCase):
    """Alert rules and dashboards."""

    def test_every_metric_and_label_of_an_expression_exists(self) -> None:
        known = series()
        own = {"instance", "job"}
        for where, expression in expressions().items():
            with self.subTest(where):
                names = set(METRIC.findall(expression))
                self.assertLessEqual(names, set(known))
                labels = {label for name in names for label in known[name]} | own
                groups = re.findall(r"\bby \(([^)]*)\)", expression)
                used = {label.strip() for group in groups for label in group.split(",")}
                used |= set(re.findall(r"(\w+)\s*(?:=~|!=|=)\s*\"", expression))
                self.assertLessEqual(used, labels)

    def test_every_metric_is_shown(self) -> None:
        shown = " ".join(expressions().values())
        unseen = [name for name in metrics() if name not in shown]
        self.assertEqual(unseen, [])

    def test_every_alert_has_its_line_in_the_operators_page_and_its_test(self) -> None:
        alerts = {name for name in expressions() if name.startswith("Assay")}
        explained = set(re.findall(r"^\| `(Assay\w+)` \|", read("docs/operating.md"), re.MULTILINE))
        self.assertEqual(explained, alerts)
        cases = documents(DEPLOY / "prometheus/alerts.test.yml")[0]["tests"]
        fired = {check["alertname"] for case in cases for check in case["alert_rule_test"] if check.get("exp_alerts")}
        self.assertEqual(fired, alerts)

    def test_the_data_sources_of_the_dashboards_are_provisioned(self) -> None:
        sources = documents(DEPLOY / "grafana/provisioning/datasources/assay.yaml")[0]["datasources"]
        provisioned = {(source["type"], source["uid"]) for source in sources}
        for name in ("operations", "reputation"):
            for panel in dashboard(name)["panels"]:
                for source in (panel["datasource"], *(target["datasource"] for target in panel["targets"])):
                    self.assertIn((source["type"], source["uid"]), provisioned)

    def test_prometheus_scrapes_every_program_that_is_watched(self) -> None:
        scraped = documents(DEPLOY / "prometheus/prometheus.yml")[0]["scrape_configs"]
        targets = {target for job in scraped for group in job["static_configs"] for target in group["targets"]}
        services = documents(DEPLOY / "compose.yaml")[0]["services"]
        port = configurations()["compose"]["watch"]["listen"].rpartition(":")[2]
        watched = {name for name, service in services.items() if service.get("command", [""])[0] in ("stream", "project")}
        self.assertEqual(targets, {f"{name}:{port}" for name in watched})


class QueriesTest(unittest.TestCase):
    """The dashboard that reads ClickHouse, on the engine and the tables of the project."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.front = ClickHouseFront(Path(folder.name))
        cls.addClassCleanup(cls.front.stop)
        cls.front.start()
        cls.ask("CREATE DATABASE assay", database="default")
        for path in sorted((ROOT / "schemas/clickhouse").glob("*.sql")):
            for statement in filter(str.strip, path.read_text(encoding="utf-8").split(";\n")):
                cls.ask(statement)
        row = "agent_id, counted_on, verified_at, verification_id, result, request_hash, source_topic, source_offset, rule_checks"
        # Two requests, one of them twice and failed once; the agent's name needs escaping.
        for number, (request, result) in enumerate([("a", "pass"), ("b", "pass"), ("b", "fail")]):
            cls.ask(
                f"INSERT INTO receipts ({row}) VALUES ('o''neil', '2026-01-02', '2026-01-02 03:04:05', "
                f"generateUUIDv4(), '{result}', repeat('{request}', 32), 't', {number + 1}, ['sum_equals'])"
            )

    @classmethod
    def ask(cls, query: str, database: str = "assay") -> list[dict]:
        connection = http.client.HTTPConnection("127.0.0.1", cls.front.port, timeout=60)
        try:
            connection.request("POST", "/?" + urllib.parse.urlencode({"database": database}), query.encode())
            answer = connection.getresponse()
            body = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            raise AssertionError(f"{query}\n{body}")
        return [json.loads(line) for line in body.splitlines() if line.startswith("{")]

    def panel(self, title: str) -> list[dict]:
        [panel] = [panel for panel in dashboard("reputation")["panels"] if panel["title"] == title]
        [target] = panel["targets"]
        query = target["rawSql"].replace("${agent:sqlstring}", "'o''neil'")
        query = re.sub(r"\$__timeFilter\(((?:[^()]|\([^()]*\))*)\)", r"(\1 >= '2026-01-01' AND \1 <= '2026-02-01')", query)
        self.assertNotIn("$", query)
        return self.ask(query + "\nFORMAT JSONEachRow")

    def test_a_request_counts_once_a_day_and_as_failed_if_it_ever_failed(self) -> None:
        [day] = self.panel("Counts of the agent by day")
        self.assertEqual((int(day["requests"]), int(day["failed"])), (2, 1))
        [agent] = self.panel("Agents by failed requests")
        self.assertEqual((agent["agent_id"], int(agent["requests"]), int(agent["failed"]), agent["share"]), ("o'neil", 2, 1, 0.5))

    def test_the_other_panels_count_receipts_and_offsets(self) -> None:
        [hour] = self.panel("Verdicts by the hour")
        self.assertEqual((int(hour["pass"]), int(hour["fail"])), (2, 1))
        [check] = self.panel("Checks that fail most")
        self.assertEqual((check["check"], int(check["receipts"])), ("sum_equals", 3))
        [partition] = self.panel("Offsets without a receipt")
        self.assertEqual(int(partition["without"]), 1)

    def test_no_panel_is_left_untried(self) -> None:
        for panel in dashboard("reputation")["panels"]:
            self.panel(panel["title"])
        [agent] = dashboard("reputation")["templating"]["list"]
        self.assertEqual(self.ask(agent["query"] + " FORMAT JSONEachRow"), [{"agent_id": "o'neil"}])


class SettingsTest(unittest.TestCase):
    """Settings files, variables, flags, and the page that lists them."""

    def test_every_key_of_a_settings_file_is_known(self) -> None:
        known = settings()
        for name, configuration in configurations().items():
            for key, value in configuration.items():
                keys, section = (set(value), key) if isinstance(value, dict) else ({key}, "")
                with self.subTest(f"{name} [{section}]"):
                    self.assertLessEqual(keys, known[section])

    def test_every_variable_of_a_container_is_known(self) -> None:
        known = {f"ASSAY_{section}__{key}".upper().replace("-", "_") for section, keys in settings().items() if section for key in keys}
        known |= secrets() | set(re.findall(r'env = "(ASSAY_\w+)"', read("src/cli.rs")))
        for name, _, variables in programs():
            with self.subTest(name):
                self.assertLessEqual({variable for variable in variables if variable.startswith("ASSAY_")}, known)

    def test_every_command_and_flag_of_a_container_is_known(self) -> None:
        known = flags()
        for name, (command, *arguments), _ in programs():
            with self.subTest(name):
                given = {argument.split("=")[0] for argument in arguments if argument.startswith("-")}
                self.assertLessEqual(given, known[command])

    def test_the_page_of_settings_lists_each_and_no_other(self) -> None:
        listed: dict[str, set[str]] = {}
        sections = [""]
        for line in read("docs/settings.md").splitlines():
            if line.startswith("## "):
                sections = re.findall(r"`\[(\w+)\]`", line) or [""]
            elif line.startswith("| `"):
                for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
                    section, _, key = name.rpartition(".")
                    listed.setdefault(section or sections[0], set()).add(key)
        self.assertEqual(listed, settings())

    def test_the_page_of_settings_names_only_flags_that_exist(self) -> None:
        known = set().union(*flags().values()) | {"--ledger", "--offline"}
        named = set(re.findall(r"`(--[a-z-]+)", read("docs/settings.md")))
        self.assertLessEqual(named, known)


class SupervisionTest(unittest.TestCase):
    """How containers are run and ended."""

    def test_the_supervisor_waits_longer_than_the_program_may_take(self) -> None:
        seconds = int(re.search(r"GRACE: Duration = Duration::from_secs\((\d+)\)", read("src/commands/stream.rs"))[1])
        drain = configurations()["kubernetes"]["stream"]["drain-seconds"]
        [stream] = [pod for pod in pods() if pod["containers"][0]["args"][0] == "stream"]
        self.assertGreater(stream["terminationGracePeriodSeconds"], drain + seconds)
        drain = configurations()["compose"]["stream"]["drain-seconds"]
        for name, service in documents(DEPLOY / "compose.yaml")[0]["services"].items():
            if service.get("command", [""])[0] == "stream":
                self.assertGreater(int(service["stop_grace_period"].removesuffix("s")), drain + seconds, name)

    def test_the_probes_ask_what_is_served(self) -> None:
        served = set(re.findall(r'\.route\("(/\w+)"', read("src/watch/listener.rs")))
        for pod in pods():
            for container in pod["containers"]:
                for probe in ("readinessProbe", "livenessProbe"):
                    if probe in container:
                        self.assertIn(container[probe]["httpGet"]["path"], served)
                        ports = {port["name"] for port in container["ports"]}
                        self.assertIn(container[probe]["httpGet"]["port"], ports)

    def test_the_key_is_not_open_to_others(self) -> None:
        volumes = [volume for pod in pods() for volume in pod["volumes"] if "secret" in volume]
        self.assertTrue(volumes)
        for volume in volumes:
            self.assertEqual(volume["secret"]["defaultMode"] & 0o037, 0)

    def test_no_two_streams_have_one_instance_name(self) -> None:
        services = documents(DEPLOY / "compose.yaml")[0]["services"].values()
        names = [service["environment"]["ASSAY_STREAM__INSTANCE"] for service in services if service.get("command") == ["stream"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 1)


if __name__ == "__main__":
    unittest.main()
