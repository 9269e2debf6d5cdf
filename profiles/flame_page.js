// Sorts the table by its headings, and searches the picture for the function of a row.
(function () {
'use strict';
var svg = document.querySelector('svg.flame'), table = document.querySelector('table');
var body = table.tBodies[0], heads = table.tHead.rows[0].cells;
Array.prototype.forEach.call(heads, function (head, column) {
	head.firstChild.addEventListener('click', function () {
		var down = head.getAttribute('aria-sort') !== 'descending';
		Array.prototype.forEach.call(heads, function (h) { h.removeAttribute('aria-sort'); });
		head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
		var rows = Array.prototype.slice.call(body.rows);
		rows.sort(function (a, b) {
			var x = a.cells[column], y = b.cells[column];
			var order = column === 0 ? (x.textContent < y.textContent ? 1 : -1) :
				Number(y.dataset.v) - Number(x.dataset.v);
			return down ? order : -order;
		});
		rows.forEach(function (r) { body.appendChild(r); });
	});
});
body.addEventListener('click', function (e) {
	if (e.target.localName !== 'button') return;
	svg.dispatchEvent(new CustomEvent('flame-search', {detail: e.target.textContent}));
	svg.scrollIntoView();
});
})();
