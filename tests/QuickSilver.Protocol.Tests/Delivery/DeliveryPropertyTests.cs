using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Delivery.DeliveryWorld;

namespace QuickSilver.Protocol.Tests.Delivery;

/// <summary>
/// Random senders that move between views, random packing and fragments, random sessions, and packets in random order,
/// some twice: what is delivered is what the rules say.
/// </summary>
public class DeliveryPropertyTests
{
    private const ulong Steps = 6;
    private const int Groups = 3;

    [Fact]
    public void EachSessionGetsItsMessagesOnceAndInOrder()
    {
        for (ulong seed = 1; seed <= 300; seed++) new Run(seed, loss: 0).Check();
    }

    [Fact]
    public void WithLossDeliveredAndReportedMessagesTileTheNumbers()
    {
        for (ulong seed = 1; seed <= 300; seed++) new Run(seed, loss: 1 + (seed % 4)).Check();
    }

    private sealed record Message(int Group, ulong Number, ulong Step, byte[] Bytes)
    {
        /// <summary>Where the parts begin that no packet brings.</summary>
        public HashSet<int> PartsMissing { get; } = [];
    }

    private sealed record Packet(
        RegionView View, NodeInfo Sender, ulong Step, byte[] Datagram, (PacketPart Part, Message Message)[] Parts);

    private sealed class Run
    {
        private readonly ulong _seed;
        private readonly ulong _loss;
        private readonly SeededRandom _random;
        private readonly DeliveryWorld _world = new();
        private readonly List<Packet> _packets = [];
        private readonly Dictionary<NodeInfo, List<Message>> _sent = [];
        private readonly RegionView[] _views;
        private readonly GroupReceiver?[] _sessions = new GroupReceiver?[Groups];

        public Run(ulong seed, ulong loss)
        {
            _seed = seed;
            _loss = loss;
            _random = new SeededRandom(seed);
            _views = [View(1, 1, 10, 20, 30), View(2, 3, 5, 10, 20, 30), View(3, 5, 10, 15, 20, 30)];
            for (uint sender = 1; sender <= 1 + _random.NextBelow(3); sender++) Send(Node(sender));
        }

        private void Require(bool holds)
        {
            if (!holds) Assert.Fail($"seed {_seed}, loss {_loss}: {string.Join(", ", _world.Log)}");
        }

        /// <summary>All a sender ever sends: messages bound to rising steps, packed into streams of the
        /// views.</summary>
        private void Send(NodeInfo sender)
        {
            var messages = _sent[sender] = [];
            var numbers = new ulong[Groups];
            var previous = new ulong[Groups];
            foreach (RegionView view in _views)
            {
                var seen = new bool[Groups];
                for (ulong step = view.FirstStep.Counter; step < view.FirstStep.Counter + 2; step++)
                {
                    var parts = new List<(PacketPart Part, Message Message)>();
                    // Half of the time many messages of one length: they wait in batches.
                    bool many = _random.NextBelow(2) == 0;
                    int same = (int)_random.NextBelow(Groups);
                    for (ulong left = _random.NextBelow(many ? 40UL : 8); left > 0; left--)
                    {
                        bool isSame = many && _random.NextBelow(8) != 0;
                        int group = isSame ? same : (int)_random.NextBelow(Groups);
                        byte[] bytes = new byte[isSame ? 12 : _random.NextBelow(30)];
                        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)_random.NextUInt64();
                        var message = new Message(group, ++numbers[group], step, bytes);
                        messages.Add(message);
                        Cut(parts, view, message, !seen[group], previous[group], isWhole: isSame);
                        seen[group] = true;
                        previous[group] = step;
                    }
                    Pack(view, sender, step, parts, most: many ? 30UL : 4);
                    // The same messages in other packets, as in another stream.
                    if (_random.NextBelow(4) == 0) Pack(view, sender, step, parts, most: 30);
                }
            }
        }

        private void Cut(
            List<(PacketPart, Message)> parts, RegionView view, Message message, bool first, ulong previous,
            bool isWhole)
        {
            int index = view.Region.IndexOf(Group((uint)(message.Group + 1) * 10).Id);
            int offset = 0;
            do
            {
                int left = message.Bytes.Length - offset;
                int length = isWhole || _random.NextBelow(2) == 0
                    || left < 2 ? left : 1 + (int)_random.NextBelow((ulong)left);
                byte[] bytes = message.Bytes[offset..(offset + length)];
                parts.Add(
                    (new PacketPart(index, message.Number, bytes, first, previous, message.Bytes.Length, offset),
                        message));
                message.PartsMissing.Add(offset);
                offset += length;
            }
            while (offset < message.Bytes.Length);
        }

        private void Pack(
            RegionView view, NodeInfo sender, ulong step, List<(PacketPart Part, Message Message)> parts, ulong most)
        {
            for (int begin = 0; begin < parts.Count;)
            {
                int end = Math.Min(parts.Count, begin + 1 + (int)_random.NextBelow(most));
                byte[] datagram = Datagram(view, step, [.. parts[begin..end].Select(part => part.Part)]);
                _packets.Add(new Packet(view, sender, step, datagram, [.. parts[begin..end]]));
                begin = end;
            }
        }

        public void Check()
        {
            List<Packet> arriving = [.. _packets.Where(_ => _loss == 0 || _random.NextBelow(10) >= _loss)];
            foreach ((PacketPart part, Message message) in arriving.SelectMany(packet => packet.Parts))
                message.PartsMissing.Remove(part.Offset);
            foreach (Packet packet in arriving.ToArray())
            {
                if (_random.NextBelow(5) == 0) arriving.Add(packet);
            }
            for (ulong step = 1; step <= Steps; step++)
            {
                Install(step);
                for (ulong count = _random.NextBelow(1 + (ulong)arriving.Count); count > 0; count--) Receive(arriving);
            }
            while (arriving.Count > 0) Receive(arriving);
            if (_loss > 0)
            {
                foreach (NodeInfo sender in _sent.Keys) _world.Deliverer.OnSenderClosed(sender, Now);
            }
            CheckLog();
            _world.AssertEverythingComesHome();
        }

        private void Install(ulong step)
        {
            for (int group = 0; group < Groups; group++)
            {
                // A node that joins or leaves is in another region from then on: its sessions begin and end with views.
                if (!Array.Exists(_views, view => view.FirstStep == Step(step)) || _random.NextBelow(2) != 0) continue;
                if (_sessions[group] is { } session)
                {
                    _world.Deliverer.CloseGroup(session);
                    _sessions[group] = null;
                    _world.Log.Add($"end of {session.Info.Name}");
                }
                else
                {
                    _sessions[group] = _world.Open(Group((uint)(group + 1) * 10), Step(step));
                    _world.Log.Add($"session in {_sessions[group]!.Info.Name} from {step}");
                }
            }
            _world.Deliverer.OnStepInstalled(Step(step), Now);
        }

        private void Receive(List<Packet> arriving)
        {
            int index = (int)_random.NextBelow((ulong)arriving.Count);
            Packet packet = arriving[index];
            arriving.RemoveAt(index);
            Assert.True(Deliverer.IsWellFormed(packet.View, packet.Datagram));
            _world.Hand(packet.View, packet.Sender, packet.Datagram);
        }

        private void CheckLog()
        {
            int contents = 0;
            var inSession = new ulong[Groups];
            var next = new Dictionary<(int, NodeInfo), ulong>();
            foreach (string entry in _world.Log)
            {
                string[] words = entry.Split(' ');
                if (words[0] is "session" or "end")
                {
                    int moved = GroupOf(words[2]);
                    inSession[moved] = words[0] == "session" ? ulong.Parse(words[4]) : 0;
                    foreach (NodeInfo sender in _sent.Keys) next.Remove((moved, sender));
                    continue;
                }
                int group = GroupOf(words[0]);
                string[] what = words[1].Split('#', '!', '+');
                NodeInfo from = _sent.Keys.Single(sender => sender.Name == what[0]);
                ulong number = ulong.Parse(what[1]);
                Require(inSession[group] != 0);
                ulong expected = next.GetValueOrDefault((group, from), FirstOf(from, group, inSession[group]));
                if (words[1].Contains('!'))
                {
                    next[(group, from)] = CheckLoss(from, group, number, ulong.Parse(what[2]), expected);
                    continue;
                }
                Message sent = Sent(from, group, number);
                Require(number == expected && sent.Step >= inSession[group] && sent.PartsMissing.Count == 0);
                Require(sent.Bytes.AsSpan().SequenceEqual(_world.Contents[contents++]));
                next[(group, from)] = number + 1;
            }
            CheckNothingIsLeft(inSession, next);
        }

        /// <summary>Checks a report of loss.</summary>
        /// <returns>The number that must follow.</returns>
        private ulong CheckLoss(NodeInfo from, int group, ulong first, ulong count, ulong expected)
        {
            Require(_loss > 0);
            if (count == 0)
            {
                // Without a place: the lowest that is whole follows, if any is.
                Require(first == 0);
                return _sent[
                    from].Where(sent => sent.Group == group && sent.Number >= expected && sent.PartsMissing.Count == 0)
                    .Select(sent => sent.Number).DefaultIfEmpty(ulong.MaxValue).First();
            }
            Require(first == expected);
            for (ulong number = first; number < first + count; number++)
                Require(Sent(from, group, number).PartsMissing.Count > 0);
            return first + count;
        }

        private void CheckNothingIsLeft(ulong[] inSession, Dictionary<(int, NodeInfo), ulong> next)
        {
            for (int group = 0; group < Groups; group++)
            {
                if (inSession[group] == 0) continue;
                foreach ((NodeInfo sender, List<Message> messages) in _sent)
                {
                    ulong from = next.GetValueOrDefault((group, sender), FirstOf(sender, group, inSession[group]));
                    bool left = messages.Exists(
                        sent => sent.Group == group && sent.Number >= from && sent.PartsMissing.Count == 0);
                    Require(!left);
                }
            }
        }

        private static int GroupOf(string name) => (int.Parse(name[1..]) / 10) - 1;

        private Message Sent(NodeInfo sender, int group, ulong number) =>
            _sent[sender].Single(sent => sent.Group == group && sent.Number == number);

        private ulong FirstOf(NodeInfo sender, int group, ulong sessionBegan) => _sent[sender]
            .Where(sent => sent.Group == group && sent.Step >= sessionBegan).Select(sent => sent.Number)
            .DefaultIfEmpty(ulong.MaxValue).First();
    }
}
