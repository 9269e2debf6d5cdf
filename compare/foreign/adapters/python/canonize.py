"""The engine exec:pyld: PyLD, which has RDFC-1.0 under the name of its draft, URDNA2015, with SHA-256."""
import json
from importlib.metadata import version

from pyld import jsonld

from serve import Refusal, serve


def canonize(task):
    if task.get('hash', 'sha256') != 'sha256':
        raise Refusal('unsupported', f"{task['hash']} inside RDFC-1.0")
    options = {'algorithm': 'URDNA2015', 'format': 'application/n-quads', 'documentLoader': task.load}
    if task.get('input') == 'nquads':
        options['inputFormat'] = 'application/n-quads'

    def operation(index):
        text = task.documents[index].decode()
        return jsonld.normalize(text if 'inputFormat' in options else json.loads(text), options)

    return operation


serve({
    'name': 'PyLD',
    'version': version('PyLD'),
    'lineage': 'digitalbazaar',
    'can': [{'suite': 'rdfc', 'operations': ['canonize']}],
}, lambda operation, suite: canonize if (operation, suite) == ('canonize', 'rdfc') else None,
    lambda error: 'limit' if isinstance(error, RecursionError) else None)
