// Makes a flame graph interactive: zoom, search, filter and keys. Without it the picture is complete but still.
(function () {
'use strict';
var SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
var svg = document.querySelector('svg.flame');
var data = JSON.parse(svg.querySelector('script[type="application/json"]').textContent);
var frames = svg.querySelector('g.frames'), below = svg.querySelector('g.below');
var inner = data.width - 2 * data.margin, band = 40;
var nodes = [], shown = [], zoomed = null, focused = null, query = '', kinds = new Set();

(function () {
	var path = [], next = 0;
	data.rows.forEach(function (r) {
		var parent = path[r[0] - 1] || null;
		var n = {depth: r[0], name: data.text[r[1]], kind: r[2], paint: data.paint[r[3]], tip: data.text[r[4]],
			value: r[5], cost: r[6], change: r[7], parent: parent, x: parent ? parent.next : next, kids: []};
		n.next = n.x;
		if (parent) {
			parent.next += n.value;
			parent.kids.push(n);
		} else {
			next += n.value;
		}
		path[n.depth] = n;
		nodes.push(n);
	});
})();

function make(ns, name, attributes, text) {
	var e = document.createElementNS(ns, name);
	Object.keys(attributes || {}).forEach(function (k) { e.setAttribute(k, attributes[k]); });
	if (text !== undefined) e.textContent = text;
	return e;
}

// fit shortens a name as the static picture does.
function fit(name, n) {
	if (n < 2) return '';
	var short = name.split('[...]').join('');
	short = short.slice(short.lastIndexOf('/') + 1);
	if (short.length <= n) return short;
	var base = short, at = base.lastIndexOf(').');
	if (at >= 0) base = base.slice(at + 2);
	else if ((at = base.indexOf('.')) >= 0) base = base.slice(at + 1);
	if (base.length <= n) return base;
	return n < 4 ? '' : base.slice(0, n - 1) + '…';
}

function micros(ns) {
	var us = ns / 1000, size = Math.abs(us);
	return us.toLocaleString('en', size >= 100 ? {maximumFractionDigits: 0} :
		size >= 10 ? {minimumFractionDigits: 1, maximumFractionDigits: 1} :
		{minimumFractionDigits: 2, maximumFractionDigits: 2}) + ' µs';
}

// The controls exist with the script alone.
var tools = make(HTML, 'div', {'class': 'tools'});
var field = make(HTML, 'input', {type: 'search', placeholder: 'Search ( / )', 'aria-label': 'Search functions'});
var reset = make(HTML, 'button', {type: 'button', disabled: '', title: 'Esc'}, 'Reset');
var status = make(HTML, 'output', {'aria-live': 'polite'});
[field, reset, status].forEach(function (e) { tools.appendChild(e); });
var holder = make(SVG, 'foreignObject', {x: data.margin, y: data.top, width: inner, height: band - 8});
holder.appendChild(tools);
svg.insertBefore(holder, frames);
var hint = 'Click a frame or press Enter to zoom, arrows to move, / to search, Esc to reset; ' +
	'click a colour above to filter.';

function active() { return query !== '' || kinds.size > 0; }
function matches(n) {
	return (query === '' || n.name.toLowerCase().indexOf(query) >= 0) && (kinds.size === 0 || kinds.has(n.kind));
}

// say shows the frame under the pointer or in focus, or else what the search found.
function say(n) {
	var text = hint;
	if (n) {
		text = n.name + ': ' + n.tip.split('\n').join(', ');
	} else if (active()) {
		var count = 0, value = 0, cost = 0, change = 0;
		nodes.forEach(function (n) {
			n.inside = Boolean(n.parent && (n.parent.inside || n.parent.hit));
			n.hit = matches(n);
			if (n.hit) count++;
			if (n.hit && !n.inside) {
				value += n.value;
				cost += n.cost;
				change += n.change || 0;
			}
		});
		text = count + (count === 1 ? ' frame' : ' frames');
		if (query !== '') {
			text += ', together ' + (100 * value / (data.whole || 1)).toFixed(1) + ' %';
			if (data.cost) text += ', ' + micros(cost) + ' an operation';
			if (data.difference) text += ', ' + (change > 0 ? '+' : '') + micros(change);
		}
	} else if (zoomed) {
		text = zoomed.name + ': ' + zoomed.tip.split('\n').join(', ');
	}
	status.textContent = text;
	reset.disabled = !active() && !zoomed;
}

function draw() {
	var from = zoomed ? zoomed.x : 0, span = (zoomed ? zoomed.value : data.total) || 1, above = new Set();
	for (var a = zoomed && zoomed.parent; a; a = a.parent) above.add(a);
	shown = [];
	var deepest = 0;
	nodes.forEach(function (n) {
		n.element = null;
		n.left = above.has(n) ? 0 : (n.x - from) / span * inner;
		n.wide = above.has(n) ? inner : n.value / span * inner;
		if (n.wide < data.least || n.left < -0.01 || n.left + n.wide > inner + 0.01 ||
			!above.has(n) && n.left > inner - data.least / 2) return;
		if (zoomed && n.depth <= zoomed.depth && n !== zoomed && !above.has(n)) return;
		shown.push(n);
		deepest = Math.max(deepest, n.depth);
	});

	while (frames.firstChild) frames.removeChild(frames.firstChild);
	var on = active();
	shown.forEach(function (n) {
		var y = data.row * (data.up ? deepest - n.depth : n.depth), x = data.margin + n.left;
		var g = make(SVG, 'g', {'class': 'frame' + (above.has(n) ? ' above' : '') + (on && !matches(n) ? ' dim' : ''),
			tabindex: n === focused ? 0 : -1, role: 'button', 'aria-label': n.name + ', ' + n.tip});
		g.appendChild(make(SVG, 'title', {}, n.name + '\n' + n.tip));
		var rect = {x: x, y: y, width: n.wide, height: data.row - 1, rx: 1.5};
		if (n.paint[0]) rect['class'] = n.paint[0];
		if (n.paint[1]) rect.fill = n.paint[1];
		if (n.paint[2]) rect['fill-opacity'] = n.paint[2];
		if (n.paint[2]) g.appendChild(make(SVG, 'rect', {x: x, y: y, width: n.wide, height: data.row - 1, rx: 1.5, 'class': 'mix'}));
		g.appendChild(make(SVG, 'rect', rect));
		var label = fit(n.name, Math.floor((n.wide - 6) / data.char));
		if (label) g.appendChild(make(SVG, 'text', {x: x + 3, y: y + 12}, label));
		g.addEventListener('click', function () { focused = n; zoom(n); });
		g.addEventListener('mouseenter', function () { say(n); });
		g.addEventListener('mouseleave', function () { say(null); });
		g.addEventListener('focus', function () { focused = n; say(n); });
		n.element = g;
		frames.appendChild(g);
	});
	if (shown.length && !(focused && focused.element)) shown[0].element.setAttribute('tabindex', 0);

	var rows = Math.max(deepest + 1, data.rowsDrawn);
	frames.setAttribute('transform', 'translate(0,' + (data.top + band + (data.up ? data.row * (rows - deepest - 1) : 0)) + ')');
	var end = data.top + band + data.row * rows;
	below.setAttribute('transform', 'translate(0,' + end + ')');
	var height = end + data.below + data.margin;
	svg.setAttribute('height', height);
	svg.setAttribute('viewBox', '0 0 ' + data.width + ' ' + height);
	say(null);
}

function zoom(n) {
	zoomed = n && n === zoomed ? n.parent : n;
	draw();
	if (focused && focused.element) focused.element.focus();
}

function search(text) {
	query = text.trim().toLowerCase();
	if (field.value !== text) field.value = text;
	draw();
}

function clear() {
	zoomed = null;
	kinds.clear();
	legend.forEach(function (g) { g.setAttribute('aria-pressed', 'false'); g.classList.remove('dim'); });
	search('');
}

var legend = Array.prototype.slice.call(svg.querySelectorAll('[data-kind]'));
legend.forEach(function (g) {
	var kind = Number(g.getAttribute('data-kind'));
	g.setAttribute('tabindex', 0);
	g.setAttribute('role', 'button');
	g.setAttribute('aria-pressed', 'false');
	function toggle() {
		if (!kinds.delete(kind)) kinds.add(kind);
		legend.forEach(function (g) {
			var chosen = kinds.has(Number(g.getAttribute('data-kind')));
			g.setAttribute('aria-pressed', String(chosen));
			g.classList.toggle('dim', kinds.size > 0 && !chosen);
		});
		draw();
	}
	g.addEventListener('click', toggle);
	g.addEventListener('keydown', function (e) {
		if (e.key === 'Enter' || e.key === ' ') {
			e.preventDefault();
			toggle();
		}
	});
});

field.addEventListener('input', function () { search(field.value); });
reset.addEventListener('click', clear);
svg.addEventListener('flame-search', function (e) { search(e.detail); });

// move returns the nearest frame that is drawn in a direction.
function move(n, key) {
	var kids = n.kids.filter(function (k) { return k.element; });
	var to = {};
	to[data.up ? 'ArrowDown' : 'ArrowUp'] = n.parent;
	to[data.up ? 'ArrowUp' : 'ArrowDown'] = kids.sort(function (a, b) { return b.value - a.value; })[0];
	if (key in to) return to[key];
	var row = shown.filter(function (m) { return m.depth === n.depth; });
	return row[row.indexOf(n) + (key === 'ArrowRight' ? 1 : -1)];
}

document.addEventListener('keydown', function (e) {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	if (e.key === 'Escape') {
		clear();
		if (e.target === field) field.blur();
	} else if (e.target === field) {
		return;
	} else if (e.key === '/') {
		field.focus();
		field.select();
	} else if (e.target.classList && e.target.classList.contains('frame')) {
		// A window in the background has keys from scripts, but no focus events.
		focused = shown.find(function (n) { return n.element === e.target; });
		if (e.key === 'Enter' || e.key === ' ') {
			zoom(focused);
		} else if (/^Arrow/.test(e.key)) {
			var n = move(focused, e.key);
			if (n && n.element) {
				focused.element.setAttribute('tabindex', -1);
				n.element.setAttribute('tabindex', 0);
				n.element.focus();
			}
		} else return;
	} else return;
	e.preventDefault();
});

// #search=TEXT and #zoom=NAME begin with a search or a zoom, so that a link can point at a frame.
var start = new URLSearchParams(location.hash.slice(1));
var wanted = start.get('zoom');
if (wanted) {
	zoomed = nodes.filter(function (n) { return n.name === wanted; })
		.sort(function (a, b) { return b.value - a.value; })[0] || null;
}
search(start.get('search') || '');
})();
