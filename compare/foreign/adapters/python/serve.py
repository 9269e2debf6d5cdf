"""The protocol canonscope-engine/1 for engines in Python: an adapter calls serve."""
import base64
import gc
import json
import platform
import resource
import sys
import time

answers = sys.stdout
sys.stdout = sys.stderr  # libraries may print; standard output is for answers


class Refusal(Exception):
    """Ends an operation with an answer of a kind: unsupported, refused, loss, limit or failed."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Task(dict):
    """A task of the parent, with the contexts that tasks have brought so far."""

    def __init__(self, task, known):
        super().__init__(task)
        self.known = known
        self.documents = [base64.b64decode(d) for d in task.get('documents') or []]

    def load(self, url, _options=None):
        """A document loader as PyLD calls it."""
        if url not in self.known:
            raise Refusal('failed', f'no context {url} was given')
        return {'contentType': 'application/ld+json', 'contextUrl': None, 'documentUrl': url,
                'document': self.known[url]}


collected = began = 0  # nanoseconds of the collector


def collecting(phase, _info):
    global collected, began
    if phase == 'start':
        began = time.perf_counter_ns()
    else:
        collected += time.perf_counter_ns() - began


gc.callbacks.append(collecting)


def encode(output):
    return base64.b64encode(output.encode() if isinstance(output, str) else output).decode()


def run(task, operation, first=0, warm=0, count=1, **_):
    def step(i):
        return operation((first + i) % len(task.documents))

    for i in range(warm):
        step(i)
    wall, cpu, before = [], time.process_time_ns(), collected
    for i in range(count):
        start = time.perf_counter_ns()
        output = step(warm + i)
        wall.append(time.perf_counter_ns() - start)
    return {'wall_ns': wall, 'cpu_ns': time.process_time_ns() - cpu, 'gc_ns': collected - before,
            'peak_bytes': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, 'output': encode(output)}


def serve(hello, find, kind_of=lambda error: None):
    """Answers requests until bye. find(operation, suite) gives the function that prepares a task; that gives
    the operation, a function of the index of a document. kind_of gives errors of the library their kind."""
    known, task, operation = {}, None, None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {'id': request.get('id')}
        try:
            do = request['do']
            if do == 'hello':
                answer['hello'] = {**hello, 'protocol': 'canonscope-engine/1',
                                   'language': f'Python {platform.python_version()}'}
            elif do == 'prepare':
                for url, text in (request['task'].get('contexts') or {}).items():
                    known[url] = json.loads(base64.b64decode(text))
                task = Task(request['task'], known)
                prepare = find(task['operation'], task['suite'])
                if prepare is None:
                    raise Refusal('unsupported', f"{task['operation']} of {task['suite']}")
                operation = prepare(task)
            elif do == 'gate':
                answer['output'] = encode(operation(request.get('index', 0)))
            elif do == 'run':
                answer['ran'] = run(task, operation, **request['run'])
            elif do != 'bye':
                raise Refusal('unsupported', f'request {do}')
        except Exception as error:
            kind = getattr(error, 'kind', None) or kind_of(error) or 'failed'
            answer['error'] = {'kind': kind, 'message': f'{type(error).__name__}: {error}'[:500]}
        print(json.dumps(answer), file=answers, flush=True)
        if request.get('do') == 'bye':
            break
