using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// D8, and the sending half of V4. It reads along what nodes send and what they take from their sockets. When a sender
/// is told that a message is stable, the message must have gone to every region view of its group view, once to each
/// and to no other, and each living member must have read all the packets that carry it. Members of merged regions
/// count, too, that are not in the group. Having read a packet is less
/// than holding it; that a stable message is also delivered in the end is checked when the run has settled.
/// </summary>
internal sealed class StabilityChecks(RunContext run, ViewChecks views, Func<int, SimulatedNode> nodes)
{
    // In larger views only one message in so many is followed into the members' stores: looking costs more than all the
    // rest of the run.
    private const int LargeView = 24;
    private const int Sample = 16;

    private readonly Dictionary<(uint Tag, uint Counter, ulong Sender), StreamFacts> _streams = [];
    private readonly Dictionary<GroupId, GroupLog> _groups = [];
    private readonly Dictionary<(int Group, int Sender, ulong Number), List<Carrier>> _carriers = [];
    private readonly Stack<List<Carrier>> _spare = new();

    /// <summary>First transmissions of messages, one for each region view a message went to.</summary>
    public ulong Transmissions { get; private set; }

    /// <summary>Streams that have carried a packet.</summary>
    public int Streams => _streams.Count;

    /// <summary>Messages that were sent and are not known stable: what carries them.</summary>
    public IEnumerable<((int Group, int Sender, ulong Number) Message, List<Carrier> Carriers)> Unstable =>
        _carriers.Select(pair => (pair.Key, pair.Value));

    /// <summary>A group has an id.</summary>
    public void Learn(GroupId id, GroupLog log) => _groups.TryAdd(id, log);

    /// <summary>A node sends a packet for the first time, or another copy of it in unicast fan-out.</summary>
    public void OnData(int node, in DatagramHeader header, ReadOnlySpan<byte> datagram)
    {
        if (views.NodeOf(header.Sender) != node)
            throw run.Violation("E1", $"node {node} sent data in the name of {header.Sender:x}");
        if (views.FindView(header.ViewTag, header.ViewCounter) is not { } view)
        {
            throw run.Violation(
                "V4", $"node {node} sent data to view {header.ViewCounter}, which it has not installed");
        }
        StreamFacts stream = StreamOf(header, view);
        ulong before = stream.Highest;
        if (!stream.TryAdd(header.Sequence, run.Options.HybridGroups.Count > 0, out bool isNew))
        {
            throw run.Violation(
                "E1", $"node {node} sent packet {header.Sequence} to {view.View} after packet {before}");
        }
        if (!isNew) return;

        var reader = new WireReader(datagram[DatagramHeader.Length..]);
        reader.ReadVarint();
        while (PacketRecord.TryRead(ref reader, datagram.Length, view.View.Number.Epoch, out PacketRecord record))
        {
            GroupId id = view.View.Region.Groups[record.GroupIndex];
            if (!_groups.TryGetValue(id, out GroupLog? group))
                throw run.Violation("V4", $"node {node} sent to group {id} without ever being in it");
            for (ulong number = record.Number; number <= record.Highest; number++)
            {
                AddCarrier(node, group, number, record.IsFragment, stream, header.Sequence);
            }
        }
        if (!reader.IsAtEnd)
            throw run.Violation("E1", $"node {node} sent a malformed packet {header.Sequence} to {view.View}");
    }

    /// <summary>A node has read a packet from a socket.</summary>
    public void OnPacketRead(int node, in DatagramHeader header)
    {
        if (_streams.TryGetValue((header.ViewTag, header.ViewCounter, header.Sender), out StreamFacts? stream))
        {
            stream.MarkRead(node, header.Sequence);
        }
    }

    /// <summary>A sender is told that a message is stable.</summary>
    /// <param name="group">The group.</param>
    /// <param name="id">Its id.</param>
    /// <param name="sender">Index of the sender.</param>
    /// <param name="number">The message.</param>
    /// <param name="message">What is known of it.</param>
    /// <param name="lives">True for nodes that have neither crashed nor been shut down.</param>
    public void OnStable(
        GroupLog group, GroupId id, int sender, ulong number, in SentMessage message, Func<int, bool> lives)
    {
        _carriers.Remove((group.Index, sender, number), out List<Carrier>? carriers);
        HashSet<int>? audience = views.FindGroupView(id, message.GroupView);
        // A sender that is a member delivers to itself; one that only publishes does not.
        var reached = new HashSet<int>();
        if (audience?.Contains(sender) == true) reached.Add(sender);
        foreach (Carrier carrier in carriers ?? [])
        {
            RegionViewFacts view = carrier.Stream.View;
            for (int index = 0; index < view.Members.Length; index++)
            {
                int member = view.Members[index];
                bool isMember = view.View.IsMember(index, id);
                if (isMember && member != sender && !reached.Add(member))
                {
                    throw run.Violation(
                        "V4", $"message {number} of node {sender} to {group.Name} was sent twice over node {member}");
                }
                if (member != sender && lives(member)) CheckRead(carrier, member, group, sender, number);
            }
        }
        if (audience is not null
            && (!reached.IsSubsetOf(audience) || audience.Any(member => lives(member) && !reached.Contains(member))))
        {
            // Members that have ended meanwhile need not have been sent to.
            string missed = string.Join(',', audience.Except(reached).Where(lives).Order());
            string extra = string.Join(',', reached.Except(audience).Order());
            throw run.Violation("V4",
                $"message {number} of node {sender} to {group.Name}, sent in group view {message.GroupView}, missed "
                + $"nodes [{missed}] and "
                + $"went to others [{extra}]");
        }
        if (carriers is null) return;
        carriers.Clear();
        _spare.Push(carriers);
    }

    private void CheckRead(in Carrier carrier, int member, GroupLog group, int sender, ulong number)
    {
        bool looks = carrier.Stream.View.Members.Length <= LargeView || number % Sample == 0;
        for (ulong sequence = carrier.First; sequence <= carrier.Last; sequence++)
        {
            string? fault = carrier.Stream.HasRead(member, sequence) ? null : "never read it";
            if (looks)
                fault ??= HoldingChecks.FindFault(
                    nodes(member).Stack, carrier.Stream.View.View.Number, carrier.Stream.Sender, sequence);
            if (fault is null) continue;
            throw run.Violation("D8",
                $"message {number} of node {sender} to {group.Name} is said to be stable, but of packet {sequence} of "
                + $"{carrier.Stream.View.View} "
                + $"node {member} {fault}");
        }
    }

    private void AddCarrier(int node, GroupLog group, ulong number, bool isFragment, StreamFacts stream, ulong sequence)
    {
        (int, int, ulong) key = (group.Index, node, number);
        if (!_carriers.TryGetValue(key, out List<Carrier>? carriers))
        {
            _carriers.Add(key, carriers = _spare.TryPop(out List<Carrier>? spare) ? spare : []);
        }
        for (int index = 0; index < carriers.Count; index++)
        {
            if (carriers[index].Stream != stream) continue;
            if (!isFragment)
            {
                throw run.Violation(
                    "V4", $"node {node} sent message {number} to {group.Name} twice in {stream.View.View}");
            }
            carriers[index] = carriers[index] with { Last = sequence };
            return;
        }
        carriers.Add(new Carrier(stream, sequence, sequence));
        Transmissions++;
    }

    private StreamFacts StreamOf(in DatagramHeader header, RegionViewFacts view)
    {
        (uint, uint, ulong) key = (header.ViewTag, header.ViewCounter, header.Sender);
        if (!_streams.TryGetValue(key, out StreamFacts? stream))
            _streams.Add(key, stream = new StreamFacts(view, header.Sender, run.Options.Lives));
        return stream;
    }
}
