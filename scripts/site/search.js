// The search over the site's pages and the symbols of the API. The index is a script beside this one, which is loaded when the search is
// used first; nothing is fetched from elsewhere, and a page that was opened as a file has the search too.
"use strict";
(() => {
    const here = new URL(".", document.currentScript.src);
    const root = new URL("..", here);
    const field = document.getElementById("query");
    let loading = null;

    // Words

    // A word without the endings of English, so that "rotate" finds "rotation".
    const stem = word => word.length > 4 ? word.replace(/(ions?|ings?|ers?|ed|es|s|e)$/, "") : word;
    // The words of a text, and the parts of those that are written like openDatabase or read_ahead.
    function words(text, withParts = true) {
        const found = [];
        for (const word of text.match(/[\p{L}\p{N}_$]+/gu) || []) {
            found.push(word.toLowerCase());
            if (!withParts) continue;
            const parts = word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu) || [];
            if (parts.length > 1) for (const part of parts) found.push(part.toLowerCase());
        }
        return found;
    }

    const isMember = kind => /property|method|case|initializer|subscript|operator|associatedtype/.test(kind);
    // Reads the index and counts words: for each stem the entries with it, and how much they have of it.
    function read(entries) {
        const postings = new Map();
        const lengths = entries.map(([title, context, , kind, text], number) => {
            const counts = new Map();
            const add = (from, weight) => {
                for (const word of from) counts.set(stem(word), (counts.get(stem(word)) || 0) + weight);
            };
            const inText = words(text);
            // Of a member's name, Type.member, the type counts as what it stands in.
            const [, type = "", name] = isMember(kind) ? title.match(/^(?:(.*)\.)?(.*)$/) : ["", "", title];
            add(words(name, false), 4);
            add(words(name), 4);
            add(words(`${context} ${type}`), 2);
            add(inText, 1);
            for (const [word, count] of counts) {
                if (!postings.has(word)) postings.set(word, []);
                postings.get(word).push([number, count]);
            }
            return inText.length + 20;
        });
        const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
        return {entries, postings, lengths, mean, vocabulary: [...postings.keys()].sort()};
    }

    function load() {
        loading ||= new Promise((resolve, reject) => {
            window.siteIndex = entries => resolve(read(entries));
            const script = document.createElement("script");
            script.src = new URL("search-index.js", here);
            script.onerror = () => reject(new Error("the index of the search can't be read"));
            document.head.append(script);
        });
        return loading;
    }

    // The stems that begin with a word, of a sorted list, at most 60.
    function beginning(vocabulary, word) {
        let [low, high] = [0, vocabulary.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (vocabulary[middle] < word) low = middle + 1; else high = middle;
        }
        const found = [];
        while (found.length < 60 && low < vocabulary.length && vocabulary[low].startsWith(word)) found.push(vocabulary[low++]);
        return found;
    }

    // The entries for a query, best first. Each word counts by its rarity, as in BM25; entries with all words come before the others.
    function find(index, query, most) {
        const asked = [...new Set(words(query, false))];
        const scores = new Map();
        asked.forEach((word, position) => {
            const whole = stem(word);
            const best = new Map();
            // Beginnings of words count less than words, and only from two letters on.
            const candidates = [[whole, 1], ...(word.length > 1 ? beginning(index.vocabulary, whole).map(one => [one, .4]) : [])];
            for (const [candidate, weight] of candidates) {
                const postings = index.postings.get(candidate) || [];
                const rarity = Math.log(1 + index.entries.length / (postings.length + .5));
                for (const [number, count] of postings) {
                    const dampened = count * 2.2 / (count + 1.2 * (.3 + .7 * index.lengths[number] / index.mean));
                    best.set(number, Math.max(best.get(number) || 0, weight * rarity * dampened));
                }
            }
            for (const [number, score] of best) {
                const total = scores.get(number) || {score: 0, words: 0};
                total.score += score;
                total.words += 1;
                scores.set(number, total);
            }
        });
        const wanted = query.trim().toLowerCase();
        const stems = asked.map(stem);
        const ranked = [...scores].map(([number, {score, words: count}]) => {
            const [title, , , kind] = index.entries[number];
            // The name itself, of "Database.open(_:)" too, and titles of these words, whatever their number.
            const name = title.toLowerCase().replace(/\(.*/, "");
            const inTitle = words(title.replace(/^[\d.]+ /, ""), false).map(stem);
            if (name === wanted || (isMember(kind) && name.endsWith("." + wanted))) score *= 3;
            else if (stems.every(one => inTitle.includes(one))) score *= inTitle.length === stems.length ? 3 : 1.5;
            // A text comes before a symbol of the same weight, and a type before members.
            if (kind === "document" || kind === "figure") score *= 2;
            else if (!isMember(kind) && kind !== "extension") score *= 1.3;
            if (title === query.trim()) score *= 2;
            return {number, count, score};
        });
        ranked.sort((one, other) => other.count - one.count || other.score - one.score || one.number - other.number);
        const full = ranked.length && ranked[0].count === asked.length;
        const shown = full ? ranked.filter(one => one.count === asked.length) : ranked;
        return {total: shown.length, asked, found: shown.slice(0, most).map(one => index.entries[one.number])};
    }

    // What is shown

    const element = (name, text, className) => {
        const made = document.createElement(name);
        if (text !== undefined) made.textContent = text;
        if (className) made.className = className;
        return made;
    };
    // A part of a text around its first found word, with the found words marked.
    function excerpt(text, asked) {
        const stems = asked.map(stem);
        const isFound = word => words(word).some(part => stems.some(one => stem(part).startsWith(one)));
        const parts = text.split(/([\p{L}\p{N}_$]+)/u);
        const first = Math.max(0, parts.findIndex((part, at) => at % 2 && isFound(part)));
        const start = Math.max(0, first - 20);
        const made = element("p");
        if (start) made.append("… ");
        for (const [at, part] of parts.slice(start, start + 70).entries()) {
            made.append((at + start) % 2 && isFound(part) ? element("mark", part) : part);
        }
        if (parts.length > start + 70) made.append(" …");
        return made;
    }
    const address = entry => new URL(entry[2], root).href;
    const place = ([, context, , kind]) => kind === "document" ? context : [kind, context].filter(Boolean).join(" in ");

    // The list below the field

    let [offers, chosen, latest] = [null, -1, 0];
    function close() {
        offers?.remove();
        [offers, chosen] = [null, -1];
        field.setAttribute("aria-expanded", "false");
        field.removeAttribute("aria-activedescendant");
    }
    function choose(number) {
        const all = [...offers.children].filter(item => item.dataset.href);
        if (!all.length) return;
        chosen = (number + all.length) % all.length;
        all.forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
        all[chosen].scrollIntoView({block: "nearest"});
        field.setAttribute("aria-activedescendant", all[chosen].id);
    }
    async function offer() {
        const mine = ++latest;
        if (!field.value.trim()) return close();
        let result;
        try {
            result = find(await load(), field.value, 8);
        } catch {
            return;
        }
        // Another letter was typed, or the list closed, while the index was read.
        if (mine !== latest || document.activeElement !== field) return;
        close();
        offers = element("ul", undefined, "offers");
        offers.id = "offers";
        offers.setAttribute("role", "listbox");
        offers.setAttribute("aria-label", "Results");
        result.found.forEach((entry, at) => {
            const item = element("li");
            item.id = `offer-${at}`;
            item.dataset.href = address(entry);
            item.setAttribute("role", "option");
            item.setAttribute("aria-selected", "false");
            item.append(element("span", entry[0]), element("br"), element("span", place(entry), "place"));
            // Before the field loses the focus, which closes the list.
            item.addEventListener("mousedown", event => { event.preventDefault(); location.href = item.dataset.href; });
            offers.append(item);
        });
        if (!result.found.length) offers.append(element("li", "Nothing found"));
        field.after(offers);
        field.setAttribute("aria-expanded", "true");
    }

    field.setAttribute("role", "combobox");
    field.setAttribute("aria-controls", "offers");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-expanded", "false");
    field.addEventListener("focus", () => load().catch(() => {}), {once: true});
    field.addEventListener("input", offer);
    field.addEventListener("blur", () => { latest += 1; close(); });
    field.addEventListener("keydown", event => {
        if (event.key === "Escape") { latest += 1; close(); }
        if (!offers) return;
        if (event.key === "ArrowDown") choose(chosen + 1);
        else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
        else if (event.key === "Enter" && chosen >= 0) location.href = offers.children[chosen].dataset.href;
        else return;
        event.preventDefault();
    });
    document.addEventListener("keydown", event => {
        const isTyping = /^(input|textarea|select)$/i.test(document.activeElement?.tagName || "");
        if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        field.focus();
    });

    // The page of results

    const list = document.getElementById("results");
    if (!list) return;
    const status = document.getElementById("found");
    async function show() {
        const query = new URLSearchParams(location.search).get("q") || "";
        field.value = query;
        if (!query.trim()) {
            status.textContent = "Type words, a name of the API or an error's code into the field above.";
            field.focus();
            return;
        }
        document.title = `${query} – Search – Sealite`;
        try {
            const {total, asked, found} = find(await load(), query, 50);
            status.textContent = total ? `${total} ${total === 1 ? "place" : "places"} for “${query}”` + (total > found.length ? `, the first ${found.length}.` : ".")
                : `Nothing found for “${query}”.`;
            if (location.protocol === "file:") status.textContent += " Pages of the API need a server: make docs-serve.";
            for (const entry of found) {
                const item = element("li");
                const link = element("a", entry[0]);
                link.href = address(entry);
                item.append(link, " ", element("span", place(entry), "place"));
                if (entry[4]) item.append(excerpt(entry[4], asked));
                list.append(item);
            }
        } catch (error) {
            status.textContent = `The search doesn't work: ${error.message}.`;
        }
    }
    show();
})();
