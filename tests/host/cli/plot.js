// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plot.js PAGE.html REPORT.json [SHOT] - the page of `ktally boot plot` in a headless
 * Chromium: nothing on its console, no request leaves, each process of the report once,
 * search leaves exactly the rows that match, headings sort them. Prints TAP lines.
 */
"use strict";
const fs = require("fs");
const { chromium } = require("playwright-core");

const [page_file, report_file, shot] = process.argv.slice(2);
const report = JSON.parse(fs.readFileSync(report_file, "utf8"));
const processes = report.rows || report.processes || Object.values(report).find(v => Array.isArray(v));
let bad = 0;

function ok(good, name, why)
{
	bad += !good;
	console.log(`${good ? "ok" : "not ok"} ${name}`);
	if (!good && why)
		console.log(`# ${String(why).slice(0, 400)}`);
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/* As the table shows them: of the rows that are to be seen, in their order. */
const seen = page => page.$$eval("#rows .r", rows => rows.filter(r => !r.hidden).map(r => +r.dataset.pid));
const sorted = list => [...list].sort((a, b) => a - b);

async function search(page, text)
{
	await page.fill("#q", text);
	await page.waitForTimeout(rows > 3000 ? 600 : 50);
	return sorted(await seen(page));
}
let rows = 0;

async function main()
{
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
						args: ["--no-sandbox", "--disable-gpu"] });
	const page = await browser.newPage({ viewport: { width: 1460, height: 900 } });
	const words = [], requests = [];
	page.on("console", m => words.push(m.text()));
	page.on("pageerror", e => words.push(String(e)));
	page.on("request", r => requests.push(r.url()));
	let began = Date.now();
	await page.goto("file://" + page_file);
	await page.waitForSelector("html[data-ready]", { timeout: 240000 });
	const took = { load: Date.now() - began };

	const pids = await page.$$eval("#rows .r", all => all.map(r => +r.dataset.pid));
	rows = pids.length;
	ok(same(sorted(pids), sorted(processes.map(p => p.pid))), `each of ${processes.length} processes is there once`,
	   `${pids.length} rows`);
	ok(requests.filter(u => !u.startsWith("file://" + page_file) && !u.startsWith("data:")).length === 0,
	   "no request leaves", requests.join(" "));
	ok(await page.evaluate(() => window.hacked === undefined && !document.querySelector("#rows img, #rows script")),
	   "names stay text");

	const text = p => (p.argv || [p.program || p.comm]).join(" ");
	const data = await page.evaluate(() => D.rows.map(r => [r[PID], r[CMD], r[IMAGES].map(i => i[1]), r[UNIT]]));
	/* A word that quoting leaves alone, of one of the processes. */
	const word = text(processes.find(p => /^[a-z/]+[0-9]* /.test(text(p)))).split(" ")[0];
	const needles = ["e", word, "evil", "<", "systemd", "--daemon", "nothing like this"];
	for (const needle of needles) {
		const want = data.filter(d => String(d[0]) === needle || [d[1], d[3] || "", ...d[2]].some(s => s.toLowerCase().includes(needle)));
		began = Date.now();
		const got = await search(page, needle);
		took.search = Date.now() - began;
		ok(same(got, sorted(want.map(d => d[0]))), `search for ${needle}: ${want.length} rows`, got.slice(0, 30).join(" "));
	}
	/* By the report's own words, where quoting makes no difference. */
	const plain = processes.filter(p => text(p).includes(word)).map(p => p.pid);
	ok(plain.length > 0 && same(await search(page, word), sorted(plain)), `search for ${word} agrees with the report`);
	ok(same(await search(page, "/^\\/?[a-z]+ .*[de]$/"), sorted(data.filter(d => /^\/?[a-z]+ .*[de]$/i.test(d[1])).map(d => d[0]))), "a regular expression");
	await search(page, "");

	const columns = [["PID", p => p.pid, 1], ["START", p => p.start_ns, 1], ["TIME", null, -1], ["CPU", p => p.cpu_ns, -1],
			 ["PEAK", p => p.peak_rss_bytes, -1]];
	const by_pid = new Map(processes.map(p => [p.pid, p]));
	for (const [name, key, sign] of columns) {
		for (const turn of [1, -1]) {
			began = Date.now();
			await page.click(`#head button:has-text("${name}")`);
			const order = await seen(page);
			took.sort = Date.now() - began;
			const value = key ? order.map(pid => key(by_pid.get(pid))) :
				await page.evaluate(o => { const m = new Map(D.rows.map(r => [r[PID], r[TO] - r[FROM]])); return o.map(p => m.get(p)); }, order);
			const known = value.filter(v => v !== null && v !== undefined).map(v => Math.round(v / (/_ns|TIME|CPU|START/.test(name) && key ? 1000 : 1)));
			const good = known.every((v, i) => !i || (known[i - 1] - v) * sign * turn <= 1);
			ok(good && order.length === processes.length, `sorted by ${name}, ${sign * turn > 0 ? "smallest" : "largest"} first`);
		}
		await page.click(`#head button:has-text("${name}")`);
	}
	ok(same(await seen(page), pids), "and back in the order of the tree");

	await page.check("#only");
	ok((await seen(page)).length === await page.evaluate(() => D.rows.filter(r => r[FLAGS] & CHAIN).length), "only what the end waited for");
	await page.uncheck("#only");
	await page.hover("#rows .r >> nth=1");
	ok((await page.textContent("#tip")).includes(data[1][1]), "details of a process under the pointer");
	const box = await page.locator("#over").boundingBox();
	await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.6, box.y + 50);
	await page.mouse.up();
	ok(await page.evaluate(() => Math.abs((x1 - x0) / D.until - 0.2) < 0.01), "dragging looks closer");
	ok(same(sorted(await seen(page)), sorted(await page.evaluate(() => D.rows.filter(r => r[TO] >= x0 && r[FROM] <= x1).map(r => r[PID])))),
	   "and leaves what was there then");
	if (shot) {
		await page.screenshot({ path: shot + "-near.png" });
		await page.click("#whole");
		await page.mouse.move(5, 5);
		await page.screenshot({ path: shot + "-light.png" });
		await page.emulateMedia({ colorScheme: "dark" });
		await page.waitForTimeout(200);
		await page.hover("#rows .r >> nth=3");
		await page.screenshot({ path: shot + "-dark.png" });
	}
	ok(words.length === 0, "nothing on the console", words.join(" | "));
	console.log(`# ${rows} rows: ${took.load} ms to load, ${took.search} ms to search, ${took.sort} ms to sort`);
	await browser.close();
	return bad ? 1 : 0;
}

main().then(status => process.exit(status), e => { console.log("not ok the page: " + e); process.exit(1); });
