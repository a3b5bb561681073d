using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>Every overflow policy, with keys and without, against <see cref="InboxModel"/>, over random limits,
/// senders, readers and leases.</summary>
public sealed class OverflowPropertyTests
{
    private const int Runs = 400;
    private const int Moves = 120;

    // More than twice as many as a ring is looked at after, to shrink it.
    private const int QuietTurns = 2_500;

    public static TheoryData<OverflowPolicy, bool> Policies { get; } =
        [.. Enum.GetValues<OverflowPolicy>().SelectMany(static policy => new[] { (policy, false), (policy, true) })];

    [Theory]
    [MemberData(nameof(Policies))]
    public void An_event_reader_gets_what_the_model_says_and_every_number_is_accounted_for(
        OverflowPolicy policy, bool keyed)
    {
        for (int seed = 1; seed <= Runs; seed++) new Run(seed, policy, keyed, ReadKind.Events).Play();
    }

    [Theory]
    [MemberData(nameof(Policies))]
    public void A_message_reader_gets_what_the_model_says(
        OverflowPolicy policy, bool keyed)
    {
        for (int seed = 1; seed <= Runs; seed++) new Run(seed, policy, keyed, ReadKind.Messages).Play();
    }

    [Theory]
    [MemberData(nameof(Policies))]
    public void Leases_that_are_kept_count_against_the_limit_in_bytes(
        OverflowPolicy policy, bool keyed)
    {
        for (int seed = 1; seed <= Runs; seed++) new Run(seed, policy, keyed, ReadKind.Leases).Play();
    }

    private enum ReadKind
    {
        Events,
        Messages,
        Leases,
    }

    private sealed class Run
    {
        private readonly NodeInfo[] _senders = [InboxRig.Node("a", 1), InboxRig.Node("b", 2), InboxRig.Node("c", 3)];
        private readonly Dictionary<NodeInfo, ulong> _sent = [];
        private readonly Dictionary<NodeInfo, ulong> _told = [];
        private readonly List<(MessageLease Lease, int Length)> _leases = [];
        private readonly Random _random;
        private readonly string _name;
        private readonly ReadKind _kind;
        private readonly bool _isLarge;

        // Where the oldest are dropped it matters what the reader has in hand, and in a large inbox that is fewer
        // messages for each note among them, which the model does not count.
        private readonly bool _hasNotes;
        private readonly int _capacity;
        private readonly long _bytes;
        private readonly int _keys;
        private readonly InboxRig _rig;
        private readonly InboxModel _model;
        private NodeInfo? _lossBefore;
        private bool _wasIdle;
        private ulong _toldView;
        private ulong _view;

        public Run(int seed, OverflowPolicy policy, bool keyed, ReadKind kind)
        {
            _random = new Random(seed);
            _kind = kind;
            _name = $"{policy}{(keyed ? " with keys" : "")}, {kind}, seed {seed}";
            _isLarge = seed % 8 == 0;
            _hasNotes = !_isLarge || keyed || policy != OverflowPolicy.DropOldest;
            _capacity = _isLarge ? _random.Next(200, 2_000) : _random.Next(1, _random.Next(2) == 0 ? 6 : 40);
            _bytes = _isLarge ? _random.Next(1_000, 20_000) : _random.Next(1, _random.Next(2) == 0 ? 40 : 1_000);
            _keys = _random.Next(2) == 0 ? 3 : 100;
            bool holds = _random.Next(4) > 0;
            _rig = new InboxRig(_capacity, _bytes, policy, holds, keyed: keyed);
            _model = new InboxModel(_capacity, _bytes, policy, holds, keyed);
        }

        public void Play()
        {
            int firstRead = _random.Next(Moves / 2);
            for (int move = 0; move < Moves; move++)
            {
                switch (_random.Next(8))
                {
                    case < 4:
                        Deliver(_random.Next(1, _random.Next(4) > 0 ? 5 : _isLarge ? 600 : 60));
                        break;
                    case 4 when _hasNotes && _random.Next(3) == 0:
                        Lose();
                        break;
                    case 5 when _hasNotes && _random.Next(3) == 0:
                        ChangeView();
                        break;
                    case 5 when _isLarge:
                        for (int turn = 0; turn < QuietTurns; turn++) _rig.Core.Publish();
                        break;
                    case 6 when _leases.Count > 0:
                        Release(_random.Next(_leases.Count));
                        break;
                    default:
                        if (move >= firstRead) Read(_random.Next(1, _random.Next(3) == 0 ? 100 : 6));
                        break;
                }
                Compare();
            }
            Finish();
        }

        private void Deliver(int count)
        {
            for (int index = 0; index < count; index++)
            {
                NodeInfo sender = Sender();
                var bytes = new byte[_random.Next(1, 9)];
                bytes[0] = (byte)_random.Next(_keys);
                _sent[sender] = _sent.GetValueOrDefault(sender) + 1;
                if (_random.Next(20) == 0) _rig.NewChunk();
                _rig.DeliverOne(sender, bytes);
                _model.Deliver(sender, _sent[sender], bytes.Length, bytes[0]);
            }
            _rig.Core.Publish();
            if (_model.HasFailed) _rig.Core.Close(new InvalidOperationException("too slow"));
        }

        private void Lose()
        {
            NodeInfo sender = Sender();
            int count = _random.Next(1, 4);
            _rig.Lose(sender, (ulong)count);
            for (int index = 0; index < count; index++)
                _model.Lose(sender, _sent[sender] = _sent.GetValueOrDefault(sender) + 1);
        }

        private void ChangeView()
        {
            _rig.Core.OnViewChanged(InboxRig.View(++_view, _senders));
            _rig.Core.Publish();
            if (!_model.HasFailed) _model.View = _view;
        }

        private void Release(int index)
        {
            _leases[index].Lease.Dispose();
            _model.Release(_leases[index].Length);
            _leases.RemoveAt(index);
        }

        private void Read(int most)
        {
            _model.HasConsumer = true;
            InboxReader reader = _rig.Core.BeginRead();
            // Stops behind a message only: then what the reader has in hand is what the model thinks.
            for (int count = 0; count < most;)
            {
                ReadOutcome outcome = _kind == ReadKind.Events
                    ? reader.NextEvent(out InboxEntry entry) : reader.NextMessage(out entry);
                if (outcome != ReadOutcome.Entry)
                {
                    Check(_model.IsDrained, "there is something to read");
                    _wasIdle = true;
                    Check(outcome == ReadOutcome.Ended == _model.HasFailed, $"the end is {outcome}");
                    _lossBefore = null;
                    break;
                }
                OnEntry(reader, entry);
                if (entry.IsMessage) count++;
            }
            _rig.Core.EndRead();
        }

        private void OnEntry(InboxReader reader, in InboxEntry entry)
        {
            // With nothing left to stand before, notes are told at once, and messages may come while they are.
            _wasIdle |= _model.IsDrained;
            switch (entry.Body)
            {
                case GroupView view:
                    Check(view.Number > _toldView, "views go forward");
                    _toldView = view.Number;
                    break;
                case LossNote loss:
                    OnLoss(loss);
                    break;
                default:
                    OnMessage(reader, entry);
                    break;
            }
        }

        private void OnLoss(LossNote loss)
        {
            ulong next = _told.GetValueOrDefault(loss.Sender) + 1;
            bool isFirst = next == 1 && loss.First >= next;
            Check(isFirst || loss.First == next, $"a loss of {loss.First}+{loss.Count} came when {next} was next");
            for (ulong number = loss.First; number < loss.First + loss.Count; number++)
            {
                Check(
                    _model.Lost.TryGetValue((loss.Sender, number), out LossReason reason),
                    $"number {number} is not lost");
                Check(reason == loss.Reason, $"number {number} was lost by {reason}, told as {loss.Reason}");
            }
            _told[loss.Sender] = loss.First + loss.Count - 1;
            Check(
                _lossBefore is null || _lossBefore == loss.Sender,
                "a loss was not followed by its sender's next message");
            _lossBefore = _wasIdle ? null : loss.Sender;
        }

        private void OnMessage(InboxReader reader, in InboxEntry entry)
        {
            InboxModel.Item? expected = _model.Peek();
            Check(expected is not null, $"{entry.Sender!.Name} {entry.Number} is not expected");
            Check(
                (expected!.Sender, expected.Number) == (entry.Sender, entry.Number),
                $"{entry.Sender!.Name} {entry.Number} came for {expected.Sender.Name} {expected.Number}");
            Check(entry.Span[0] == expected.Key && entry.Length == expected.Length, "the bytes are others");
            ulong before = _told.GetValueOrDefault(entry.Sender!);
            if (_kind == ReadKind.Events)
            {
                Check(
                    before == 0 || before + 1 == entry.Number,
                    $"{entry.Number} came after {before}, and nothing was told between");
                Check(
                    _lossBefore is null || _lossBefore == entry.Sender,
                    "a loss was not followed by its sender's next message");
                Check(_toldView == expected.View, $"sent in view {expected.View}, and {_toldView} was told");
            }
            _lossBefore = null;
            _wasIdle = false;
            _told[entry.Sender!] = entry.Number;
            _model.Take(_kind == ReadKind.Leases);
            if (_kind == ReadKind.Leases) _leases.Add((reader.Lease(entry), entry.Length));
            else reader.OnCopied(entry);
        }

        private void Compare()
        {
            Check(_rig.Core.Messages == _model.Messages, $"{_rig.Core.Messages} messages for {_model.Messages}");
            Check(_rig.Core.Bytes == _model.Bytes, $"{_rig.Core.Bytes} bytes for {_model.Bytes}");
            Check(_rig.Core.Messages <= _capacity, "more messages than the limit");
            Check(_rig.Core.Bytes <= _bytes || _rig.Core.Messages + _leases.Count <= 1, "more bytes than the limit");
            Check(_rig.Dropped.SequenceEqual(_model.Dropped), "others were dropped");
            Check(_rig.Overflowed.HasValue == _model.HasFailed, "the group has failed, or should have");
        }

        private void Finish()
        {
            Read(int.MaxValue);
            Compare();
            if (_kind == ReadKind.Events && !_model.HasFailed)
            {
                foreach ((NodeInfo sender, ulong number) in _model.Lost.Keys)
                    Check(
                        number <= _told.GetValueOrDefault(sender), $"the loss of {sender.Name} {number} was not told");
            }
            _rig.CloseArena();
            _rig.Core.Close(null);
            _rig.Core.Discard();
            while (_leases.Count > 0) Release(0);
            _rig.Shared.Returns.Drain();
            Check(_rig.Pool.OutstandingChunks == 0, "memory has not come home");
            Check(
                _rig.Core.PinnedBytes == 0 && _rig.Core.Bytes == 0 && _rig.Core.Messages == 0,
                "something is counted that is not there");
            Check(_rig.Shared.Leases.Outstanding == 0, "a lease is left");
        }

        private NodeInfo Sender() => _senders[_random.Next(_senders.Length)];

        private void Check(bool holds, string what) => Assert.True(holds, $"{_name}: {what}");
    }
}
