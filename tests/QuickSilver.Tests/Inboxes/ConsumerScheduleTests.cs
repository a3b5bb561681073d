using QuickSilver.Protocol.Core;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Inboxes;

/// <summary>
/// Handlers and readers come and go in every order, at every moment between a send, its delivery, the core's requests
/// and the end of its turn. Each consumer has to see consecutive messages, each once: the first of all from the
/// beginning, a later one at least from what is sent after the call that attached it has returned.
/// </summary>
public sealed class ConsumerScheduleTests
{
    [Fact]
    public async Task Whatever_the_order_of_calls_each_consumer_misses_nothing_and_gets_nothing_twice()
    {
        for (ulong seed = 1; seed <= 2_000; seed++) await new Schedule(seed).RunAsync();
    }

    [Fact]
    public void A_message_sent_after_a_handler_was_attached_is_seen_though_it_is_delivered_before_the_request()
    {
        var rig = new HandleRig(new GroupOptions { OnMessage = static (in MessageRef _) => { } });
        var seen = new List<ulong>();
        using IDisposable second = new Disposing(
            rig, rig.Handle.Subscribe((in MessageRef message) => seen.Add(message.Sequence)));
        rig.Send();
        rig.Deliver(1);
        Assert.Equal([1UL], seen);
        rig.RunRequests();
        rig.Send();
        rig.Deliver(1);
        Assert.Equal([1UL, 2UL], seen);
    }

    [Fact]
    public async Task What_was_held_is_the_handlers_though_a_reader_begins_before_the_core_has_heard_of_the_handler()
    {
        var rig = new HandleRig();
        rig.Send(3);
        rig.Deliver(3);
        rig.EndTurn();
        var seen = new List<ulong>();
        using IDisposable first = new Disposing(
            rig, rig.Handle.Subscribe((in MessageBatch run) => seen.Add(run.FirstSequence)));
        IAsyncEnumerator<Message> reader = rig.Handle.ReadAllAsync().GetAsyncEnumerator();
        ValueTask<bool> moving = reader.MoveNextAsync();
        Assert.False(moving.IsCompleted);
        rig.RunRequests();
        rig.EndTurn();
        Assert.Equal([1UL, 2UL, 3UL], seen);
        Assert.False(moving.IsCompleted);
        rig.Send();
        rig.Deliver(1);
        rig.EndTurn();
        Assert.True(await moving.AsTask().WaitAsync(NodeRig.Patience));
        Assert.Equal(4UL, reader.Current.Sequence);
        Assert.Equal([1UL, 2UL, 3UL, 4UL], seen);
    }

    [Fact]
    public void A_handle_that_is_left_right_after_a_handler_was_attached_hands_over_what_was_held()
    {
        var rig = new HandleRig();
        rig.Send(2);
        rig.Deliver(2);
        var seen = new List<ulong>();
        rig.Handle.Subscribe((in MessageRef message) => seen.Add(message.Sequence));
        Assert.True(rig.Handle.Handle.TryEnd(null));
        rig.Send();
        rig.Deliver(1);
        Assert.Equal(0, rig.Close(null));
        Assert.Equal([1UL, 2UL, 3UL], seen);
    }

    [Fact]
    public void A_key_selector_may_attach_the_first_handler_and_it_gets_the_message_too()
    {
        HandleRig? rig = null;
        var seen = new List<ulong>();
        var options = new GroupOptions
        {
            Overflow = OverflowPolicy.DropOldest,
            Key = (in MessageRef message) =>
            {
                if (message.Sequence == 2) rig!.Handle.Subscribe((in MessageRef taken) => seen.Add(taken.Sequence));
                return message.Sequence;
            },
        };
        rig = new HandleRig(options);
        rig.Send(3);
        rig.Deliver(1);
        rig.Deliver(1);
        rig.Deliver(1);
        Assert.Equal([1UL, 2UL, 3UL], seen);
        Assert.Equal(0, rig.Close(null));
    }

    private sealed class Disposing(HandleRig rig, IDisposable registration) : IDisposable
    {
        public void Dispose() => rig.Dispose(registration);
    }

    private sealed class Consumer
    {
        public required bool IsFirst { get; init; }

        public required ulong SentBefore { get; init; }

        public List<ulong> Seen { get; } = [];

        public IDisposable? Registration { get; set; }

        /// <summary>The last message that it has to have seen; null while it is attached.</summary>
        public ulong? MustEnd { get; set; }
    }

    private sealed class Schedule(ulong seed)
    {
        private readonly SeededRandom _random = new(seed);
        private readonly HandleRig _rig = new();
        private readonly List<Consumer> _handlers = [];
        private readonly List<MessageLease> _leases = [];
        private readonly CancellationTokenSource _end = new();
        private CancellationTokenSource _stop = new();
        private Consumer? _reader;
        private Func<ValueTask<bool>>? _move;
        private Func<ulong>? _current;
        private Func<ValueTask>? _dispose;
        private Task<bool>? _moving;
        private bool _isTaken;

        private string Where => $"seed {seed}";

        public async Task RunAsync()
        {
            int steps = 10 + Next(120);
            for (int step = 0; step < steps; step++) await StepAsync();
            bool isLeft = Next(2) == 0;
            if (_reader is not null) await BeginReadAsync();
            if (isLeft) _rig.Handle.Handle.TryEnd(null);
            while (_rig.Delivered < _rig.Sent)
            {
                _rig.Deliver(1 + Next(5));
                if (Next(3) == 0) _rig.RunRequests();
            }
            _rig.RunRequests();
            _rig.EndTurn();
            Check(_handlers, _rig.Delivered);
            if (_reader is not null) await ReadToEndAsync();
            foreach (MessageLease lease in _leases)
            {
                Assert.True(HandleRig.Read(lease.Payload.Span) == lease.Sequence, Where);
                lease.Dispose();
            }
            Assert.True(_rig.Close(isLeft ? null : new InvalidOperationException("over")) == 0, $"{Where}: memory");
        }

        private async Task StepAsync()
        {
            switch (Next(14))
            {
                case < 3:
                    _rig.Send(1 + Next(3));
                    break;
                case < 6:
                    _rig.Deliver(1 + Next(4));
                    break;
                case 6:
                    _rig.RunRequests();
                    break;
                case 7:
                    _rig.EndTurn();
                    break;
                case 8 or 9:
                    Attach();
                    break;
                case 10:
                    if (_handlers.Find(static handler => handler.MustEnd is null) is { } handler) Detach(handler);
                    break;
                case 11:
                    await BeginReadAsync();
                    break;
                case 12:
                    await ReadAsync(1 + Next(6));
                    break;
                default:
                    if (_move is not null) await StopReadingAsync();
                    break;
            }
        }

        private void Attach()
        {
            var handler = new Consumer { IsFirst = !_isTaken, SentBefore = _rig.Sent };
            _isTaken = true;
            handler.Registration = Next(2) == 0
                ? _rig.Handle.Subscribe((in MessageRef message) => handler.Seen.Add(message.Sequence))
                : _rig.Handle.Subscribe((in MessageBatch run) =>
                {
                    foreach (MessageRef message in run) handler.Seen.Add(message.Sequence);
                });
            _handlers.Add(handler);
        }

        private void Detach(Consumer handler)
        {
            handler.MustEnd = _rig.Delivered;
            _rig.Dispose(handler.Registration!);
            int calls = handler.Seen.Count;
            _rig.Send();
            _rig.Deliver(1_000);
            Assert.True(handler.Seen.Count == calls, $"{Where}: a call after the dispose");
        }

        // The call that attaches, and often not yet the reading.
        private async Task BeginReadAsync()
        {
            if (_move is not null) return;
            _reader ??= new Consumer { IsFirst = !_isTaken, SentBefore = _rig.Sent };
            _isTaken = true;
            _stop = new CancellationTokenSource();
            switch (Next(3))
            {
                case 0:
                    IAsyncEnumerator<Message> copies = _rig.Handle.ReadAllAsync(_stop.Token).GetAsyncEnumerator();
                    (_move, _current, _dispose) = (
                        copies.MoveNextAsync, () => HandleRig.Read(copies.Current.Payload.Span), copies.DisposeAsync);
                    break;
                case 1:
                    IAsyncEnumerator<MessageLease> leases = _rig.Handle.ReadLeasedAsync(_stop.Token)
                        .GetAsyncEnumerator();
                    (_move, _current, _dispose) = (
                        leases.MoveNextAsync, () => Keep(leases.Current), leases.DisposeAsync);
                    break;
                default:
                    IAsyncEnumerator<GroupEvent> events = _rig.Handle.ReadEventsAsync(_stop.Token).GetAsyncEnumerator();
                    (_move, _current, _dispose) = (
                        events.MoveNextAsync, () => ((MessageReceived)events.Current).Message.Sequence,
                        events.DisposeAsync);
                    break;
            }
            if (Next(2) == 0) await ReadAsync(1);
        }

        private ulong Keep(MessageLease lease)
        {
            ulong number = lease.Sequence;
            if (Next(3) == 0) _leases.Add(lease);
            else lease.Dispose();
            return number;
        }

        private async Task ReadAsync(int most)
        {
            for (int index = 0; _move is not null && index < most; index++)
            {
                _moving ??= _move().AsTask();
                if (!_moving.IsCompleted) return;
                Take(await _moving);
            }
        }

        private void Take(bool hasNext)
        {
            _moving = null;
            if (hasNext) _reader!.Seen.Add(_current!());
        }

        private async Task StopReadingAsync()
        {
            await _stop.CancelAsync();
            try
            {
                if (_moving is not null) Take(await _moving);
            }
            catch (OperationCanceledException)
            {
                _moving = null;
            }
            await _dispose!();
            _move = null;
        }

        private async Task ReadToEndAsync()
        {
            while (_reader!.Seen.Count == 0 || _reader.Seen[^1] < _rig.Delivered)
            {
                if (_reader.Seen.Count == 0 && _reader.SentBefore == _rig.Sent && !_reader.IsFirst) break;
                if (_rig.Delivered == 0) break;
                _moving ??= _move!().AsTask();
                Take(await _moving.WaitAsync(NodeRig.Patience));
            }
            await StopReadingAsync();
            Check([_reader], _rig.Delivered);
        }

        private void Check(List<Consumer> consumers, ulong delivered)
        {
            foreach (Consumer consumer in consumers)
            {
                ulong mustBegin = consumer.IsFirst ? 1 : consumer.SentBefore + 1;
                ulong mustEnd = consumer.MustEnd ?? delivered;
                string what =
                    $"{Where}: first {consumer.IsFirst}, sent before {consumer.SentBefore}, must end {mustEnd}, saw "
                    + string.Join(' ', consumer.Seen);
                for (int index = 1; index < consumer.Seen.Count; index++)
                {
                    Assert.True(consumer.Seen[index] == consumer.Seen[index - 1] + 1, what);
                }
                if (mustEnd < mustBegin) continue;
                Assert.True(
                    consumer.Seen.Count > 0 && consumer.Seen[0] <= mustBegin && consumer.Seen[^1] >= mustEnd, what);
            }
        }

        private int Next(int below) => (int)_random.NextBelow((ulong)below);
    }
}
