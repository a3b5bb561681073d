using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Membership;
using PartRig = QuickSilver.Tests.Inboxes.Shared.SharedRig.PartRig;

namespace QuickSilver.Tests.Inboxes.Shared;

/// <summary>A shared inbox against <see cref="SharedModel"/>, over random limits, policies, senders, joins, leaves,
/// readers and leases.</summary>
public sealed class SharedPropertyTests
{
    private const int Runs = 1_000;
    private const int Moves = 150;

    // More than twice as many as a ring is looked at after, to shrink it.
    private const int QuietTurns = 2_500;

    public enum ReadKind
    {
        Events,
        Messages,
        Leases,
    }

    public static TheoryData<ReadKind> Kinds => [.. Enum.GetValues<ReadKind>()];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_reader_gets_what_the_model_says_and_an_event_reader_can_account_for_every_number(ReadKind kind)
    {
        for (int seed = 1; seed <= Runs; seed++) new Run(seed, kind).Play();
    }

    private sealed class Run
    {
        private readonly NodeInfo[] _senders = [InboxRig.Node("a", 1), InboxRig.Node("b", 2), InboxRig.Node("c", 3)];
        private readonly List<PartRig> _groups = [];
        private readonly List<PartRig> _left = [];
        private readonly Dictionary<(PartRig Group, NodeInfo Sender), ulong> _told = [];
        private readonly Dictionary<PartRig, ulong> _toldViews = [];
        private readonly HashSet<PartRig> _known = [];
        private readonly HashSet<PartRig> _toldEnds = [];
        private readonly List<(MessageLease Lease, PartRig Group, int Length)> _leases = [];
        private readonly Random _random;
        private readonly string _name;
        private readonly ReadKind _kind;
        private readonly bool _isLarge;
        private readonly int _messages;
        private readonly long _bytes;
        private readonly int _keys;
        private readonly SharedRig _rig;
        private readonly SharedModel _model;
        private bool _isDrained;

        public Run(int seed, ReadKind kind)
        {
            _random = new Random(seed);
            _kind = kind;
            _name = $"{kind}, seed {seed}";
            _isLarge = seed % 8 == 0;
            _messages = _isLarge ? _random.Next(200, 2_000) : _random.Next(1, _random.Next(2) == 0 ? 8 : 80);
            _bytes = _isLarge ? _random.Next(1_000, 20_000) : _random.Next(1, _random.Next(2) == 0 ? 60 : 2_000);
            _keys = _random.Next(2) == 0 ? 3 : 100;
            _rig = new SharedRig(_messages, _bytes);
            _model = new SharedModel(_messages, _bytes);
            if (kind == ReadKind.Events) _rig.Core.TellEvents();
        }

        public void Play()
        {
            int firstRead = _random.Next(Moves / 2);
            for (int index = _random.Next(4); index >= 0; index--) Join();
            for (int move = 0; move < Moves; move++)
            {
                switch (_random.Next(12))
                {
                    case < 5:
                        Deliver(_random.Next(1, _random.Next(4) > 0 ? 6 : _isLarge ? 600 : 60));
                        break;
                    case 5 when _groups.Count > 0 && _random.Next(2) == 0:
                        Lose();
                        break;
                    case 6 when _groups.Count > 0 && _random.Next(2) == 0:
                        ChangeView(Group());
                        break;
                    case 6 when _isLarge:
                        for (int turn = 0; turn < QuietTurns; turn++) _rig.Core.Publish();
                        break;
                    case 7 when _random.Next(3) == 0:
                        Join();
                        break;
                    case 8 when _groups.Count > 0 && _random.Next(3) == 0:
                        Leave(Group());
                        break;
                    case 9 when _leases.Count > 0:
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

        private void Join()
        {
            OverflowPolicy policy = Enum.GetValues<OverflowPolicy>()[_random.Next(3)];
            int messages = _random.Next(1, _random.Next(2) == 0 ? 6 : 300);
            long bytes = _random.Next(1, _random.Next(2) == 0 ? 40 : 3_000);
            PartRig group = _rig.Join(
                $"g{_groups.Count}", policy, messages, bytes, hold: _random.Next(4) > 0, keyed: _random.Next(3) == 0);
            _groups.Add(group);
            ChangeView(group);
        }

        private void Leave(PartRig group)
        {
            _model.Of(group).HasLeft = true;
            group.Part.Close(null);
            _rig.Node.PublishShared();
            _groups.Remove(group);
            _left.Add(group);
        }

        private void Deliver(int count)
        {
            for (int index = 0; index < count && _groups.Count > 0; index++)
            {
                NodeInfo sender = Sender();
                PartRig group = Group();
                var bytes = new byte[_random.Next(1, 9)];
                bytes[0] = (byte)_random.Next(_keys);
                if (_random.Next(20) == 0) _rig.NewChunk();
                ulong number = _rig.DeliverOne(group, sender, bytes);
                _model.Deliver(group, sender, number, bytes.Length, bytes[0]);
                Check(group.Overflowed.HasValue == _model.Of(group).HasFailed, $"{group.Name} has failed, or should");
                if (!_model.Of(group).HasFailed) continue;
                group.Part.Close(new SlowConsumerException(ErrorCode.SlowConsumer, "too slow"));
                _groups.Remove(group);
                _left.Add(group);
            }
            _rig.Node.PublishShared();
        }

        private void Lose()
        {
            NodeInfo sender = Sender();
            PartRig group = Group();
            ulong count = (ulong)_random.Next(1, 4);
            ulong first = _rig.Lose(group, sender, count);
            for (ulong number = first; number < first + count; number++) _model.Lose(group, sender, number);
            _rig.Node.PublishShared();
        }

        private void ChangeView(PartRig group)
        {
            _model.Of(group).View = group.ChangeView(_senders);
            _rig.Node.PublishShared();
        }

        private void Release(int index)
        {
            (MessageLease lease, PartRig group, int length) = _leases[index];
            lease.Dispose();
            _model.Release(group, length);
            _leases.RemoveAt(index);
        }

        private void Read(int most)
        {
            _model.HasConsumer = true;
            SharedReader reader = _rig.Core.BeginRead();
            for (int count = 0; count < most; count++)
            {
                ReadOutcome outcome = _kind == ReadKind.Events
                    ? reader.NextEvent(out SharedEntry entry) : reader.NextMessage(out entry);
                if (outcome != ReadOutcome.Entry)
                {
                    Check(_model.Messages == 0, "there is something to read");
                    Check(outcome == ReadOutcome.Empty, $"the end is {outcome}");
                    _isDrained = true;
                    break;
                }
                OnEntry(reader, entry);
            }
            _rig.Core.EndRead();
            List<SharedModel.Item> hand = [.. _model.SetInHand(SharedRig.InHand(reader))];
            foreach (IGrouping<PartRig, SharedModel.Item> share in hand.GroupBy(static item => item.Group))
            {
                InboxLimits limits = share.Key.Limits;
                // Its notes come before it, and the reader may have stopped behind one.
                Check(!limits.ReplacesByKey || hand.Count == 1, "messages that could be replaced are in hand");
                Check(
                    limits.Overflow != OverflowPolicy.DropOldest || share.Count() <= Math.Max(1, limits.Capacity / 2),
                    "the reader has all that could be dropped in hand");
            }
        }

        private void OnEntry(SharedReader reader, in SharedEntry entry)
        {
            _isDrained = false;
            var group = (PartRig)entry.Part.Owner;
            Check(!_toldEnds.Contains(group), $"{group.Name} goes on after its end");
            _known.Add(group);
            switch (entry.Entry.Body)
            {
                case GroupView view:
                    Check(view.Number > _toldViews.GetValueOrDefault(group), "views go forward");
                    _toldViews[group] = view.Number;
                    break;
                case LossNote loss:
                    OnLoss(group, loss);
                    break;
                case EndMark end:
                    Check(_model.Of(group).HasEnded, $"{group.Name} has not ended");
                    Check(end.Reason is not null == _model.Of(group).HasFailed, $"{group.Name} ends by {end.Reason}");
                    _toldEnds.Add(group);
                    break;
                default:
                    OnMessage(reader, group, entry);
                    break;
            }
        }

        private void OnLoss(PartRig group, LossNote loss)
        {
            ulong next = _told.GetValueOrDefault((group, loss.Sender)) + 1;
            bool isFirst = next == 1 && loss.First >= next;
            Check(isFirst || loss.First == next, $"a loss of {loss.First}+{loss.Count} came when {next} was next");
            for (ulong number = loss.First; number < loss.First + loss.Count; number++)
            {
                Check(
                    _model.Lost.TryGetValue((group, loss.Sender, number), out LossReason reason),
                    $"number {number} is not lost");
                Check(
                    reason == loss.Reason || (number > loss.First && MayShareNotes(group)),
                    $"number {number} was lost by {reason}, told as {loss.Reason}");
            }
            _told[(group, loss.Sender)] = loss.First + loss.Count - 1;
        }

        // Once a group has as many notes as it may, losses of any reason join the last of their sender, which keeps the
        // reason of its first.
        private bool MayShareNotes(PartRig group)
        {
            int notes = 0;
            foreach (((PartRig of, NodeInfo sender, ulong number), LossReason reason) in _model.Lost)
            {
                if (of != group) continue;
                bool isKnown = _model.Lost.TryGetValue((of, sender, number - 1), out LossReason before);
                if (!isKnown || before != reason) notes++;
            }
            return notes >= LossNotes.MaxNotes;
        }

        private void OnMessage(SharedReader reader, PartRig group, in SharedEntry entry)
        {
            InboxEntry message = entry.Entry;
            SharedModel.Item? expected = _model.Peek();
            Check(expected is not null, $"{message.Sender!.Name} {message.Number} is not expected");
            Check(
                (expected!.Group, expected.Sender, expected.Number) == (group, message.Sender, message.Number),
                $"{group.Name} {message.Sender!.Name} {message.Number} came for {expected}");
            Check(message.Span[0] == expected.Key && message.Length == expected.Length, "the bytes are others");
            ulong before = _told.GetValueOrDefault((group, message.Sender!));
            if (_kind == ReadKind.Events)
            {
                Check(
                    before == 0 || before + 1 == message.Number,
                    $"{message.Number} came after {before}, and nothing was told between");
                Check(
                    _toldViews.GetValueOrDefault(group) == expected.View,
                    $"sent in view {expected.View}, and {_toldViews.GetValueOrDefault(group)} was told");
            }
            _told[(group, message.Sender!)] = message.Number;
            _model.Take(_kind == ReadKind.Leases);
            if (_kind == ReadKind.Leases) _leases.Add((reader.Lease(entry), group, message.Length));
            else reader.OnCopied(entry);
        }

        private void Compare()
        {
            SharedInbox core = _rig.Core;
            Check(core.Messages == _model.Messages, $"{core.Messages} messages for {_model.Messages}");
            Check(core.Bytes == _model.Bytes, $"{core.Bytes} bytes for {_model.Bytes}");
            Check(core.Messages <= _messages, "more messages than the limit");
            Check(core.Bytes <= _bytes || core.Messages + _leases.Count <= 1, "more bytes than the limit");
            foreach (PartRig group in _groups.Concat(_left))
            {
                SharedModel.Share share = _model.Of(group);
                Check(group.Part.Messages == share.Messages, $"{group.Part.Messages} messages of {group.Name}");
                Check(group.Part.Bytes == share.Bytes, $"{group.Part.Bytes} bytes of {group.Name}");
                Check(share.Messages <= group.Limits.Capacity, $"more messages of {group.Name} than its limit");
                Check(group.Dropped.SequenceEqual(share.Dropped), $"others of {group.Name} were dropped");
            }
        }

        private void Finish()
        {
            Read(int.MaxValue);
            Compare();
            Check(_isDrained, "the reader has not come to the end");
            if (_kind == ReadKind.Events)
            {
                foreach ((PartRig group, NodeInfo sender, ulong number) in _model.Lost.Keys)
                {
                    Check(
                        number <= _told.GetValueOrDefault((group, sender)),
                        $"the loss of {group.Name} {sender.Name} {number} was not told");
                }
                Check(_known.Intersect(_left).All(_toldEnds.Contains), "an end was not told");
                Check(_groups.All(group => _toldViews[group] == _model.Of(group).View), "a view was not told");
            }
            _rig.CloseArena();
            _rig.Core.Close(null);
            while (_leases.Count > 0) Release(0);
            _rig.Node.Returns.Drain();
            Check(_rig.Pool.OutstandingChunks == 0, "memory has not come home");
            Check(
                _rig.Core.PinnedBytes == 0 && _rig.Core.Bytes == 0 && _rig.Core.Messages == 0,
                "something is counted that is not there");
            Check(_rig.Node.Leases.Outstanding == 0, "a lease is left");
        }

        private NodeInfo Sender() => _senders[_random.Next(_senders.Length)];

        private PartRig Group() => _groups[_random.Next(_groups.Count)];

        private void Check(bool holds, string what) => Assert.True(holds, $"{_name}: {what}");
    }
}
