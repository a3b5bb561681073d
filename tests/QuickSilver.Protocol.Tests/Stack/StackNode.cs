using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>One whole node of a <see cref="StackWorld"/>, with all that came to its host.</summary>
internal sealed class StackNode : ITransport, IMembershipLink, INodeUpcalls
{
    private readonly StackWorld _world;
    private readonly Dictionary<LocalGroup, Speaker> _speakers = [];

    public StackNode(StackWorld world, int index, RateSettings? rate = null)
    {
        _world = world;
        Index = index;
        uint address = 0x7F000001 + (uint)index;
        Facts = new TransportFacts(
            new NetEndpoint(address, 1), new NetEndpoint(address, 2), 1300, 50, 1 << 22, false, true);
        Stack = new NodeStack(
            new NodeSettings
            {
                NodeName = $"n{index}",
                Dissemination = new DisseminationSettings { Rate = rate ?? new RateSettings() },
            },
            new NodeHost(Alarms, this, this, this, new SeededRandom((ulong)index + 1), Pool));
    }

    public int Index { get; }

    public NodeStack Stack { get; }

    public AlarmQueue Alarms { get; } = new();

    public BufferPool Pool { get; } = new();

    public TransportFacts Facts { get; }

    public ISharedMemory? SharedMemory { get; set; }

    public bool Joined { get; private set; }

    public NodeInfo? Self { get; private set; }

    public List<string> Heard { get; } = [];

    public List<(NodeInfo Other, CarrierChange Change)> Changes { get; } = [];

    public Action<LocalGroup>? OnHeard { get; set; }

    public void Join(params string[] names) => Stack.Join(new Request(this, names), _world.Now);

    public void Join(byte mode, params string[] names) => Stack.Join(new Request(this, names, mode), _world.Now);

    public void Publish(byte mode, params string[] names) =>
        Stack.Join(new Request(this, names, mode, true), _world.Now);

    /// <summary>Why joins failed.</summary>
    public List<MembershipRefusal> Refusals { get; } = [];

    public void Leave(string name) => Stack.Leave(new Departure([Stack.FindGroup(name)!]), _world.Now);

    public void Say(string group, string text) =>
        SourceOf((Stack.FindGroup(group) ?? Stack.Rooms.Published.Find(group))!).Say(text, _world.Now);

    private Speaker SourceOf(LocalGroup group)
    {
        if (_speakers.TryGetValue(group, out Speaker? speaker)) return speaker;
        speaker = new Speaker(group);
        _speakers.Add(group, speaker);
        return speaker;
    }

    /// <summary>True: no datagram reaches the node any more.</summary>
    public bool IsDeaf { get; set; }

    /// <summary>Reads whose buffer the stack has kept.</summary>
    public int KeptReads { get; private set; }

    /// <summary>Takes a read that comes from where its first datagram's sender, or the peer that repairs, would send
    /// it.</summary>
    public void Take(byte[] read, SocketRole role) => Take(read, role, _world.SourceOf(read, role));

    public void Take(byte[] read, SocketRole role, NetEndpoint source)
    {
        if (IsDeaf) return;
        byte[] buffer = GC.AllocateArray<byte>(BufferPool.ChunkBytes, pinned: true);
        read.CopyTo(buffer, 0);
        var completion = new Completion(
            role, DatagramKinds.PriorityOfRead(read), null, buffer, 0, read.Length)
        { Source = source };
        Stack.Handle(ref completion, _world.Now);
        Assert.Equal(BufferPool.ChunkBytes, completion.Buffer.Length);
        if (completion.Buffer != buffer) KeptReads++;
        // The next read: code that kept what it was not to keep sees this.
        Array.Fill(completion.Buffer, (byte)0xDD);
    }

    public void Send(ReadOnlySpan<byte> frame) => _world.ToServer(Index, frame.ToArray());

    public SendOutcome Send(in Train train)
    {
        _world.Carry(this, train);
        return SendOutcome.Sent;
    }

    public IRegionChannel? Open(NetEndpoint group, bool receive) => null;

    public void Close(IRegionChannel channel, bool receive)
    {
    }

    private void OnMessages(GroupInfo group, NodeInfo sender, in DeliveryBatch run)
    {
        for (int index = 0; index < run.Count; index++)
        {
            Heard.Add(
                $"{group.Name}/{sender.Name}/{run.Number + (ulong)index}: "
                    + $"{System.Text.Encoding.UTF8.GetString(run[index].Span)}");
            OnHeard?.Invoke(Stack.FindGroup(group.Name)!);
        }
    }

    public void OnStepActivated(StepNumber step, Instant now)
    {
    }

    public void OnRegistered(NodeInfo self, Instant now) => Self = self;

    public void OnConnectionChanged(bool connected, Instant now)
    {
    }

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
    }

    public void OnCarrierChanged(NodeInfo other, CarrierChange change, Instant now) => Changes.Add((other, change));

    public void OnExpelled(MembershipRefusal reason, Instant now) => Assert.Fail($"expelled: {reason}");

    private sealed class Request(StackNode node, string[] names, byte mode = 0, bool isPublisher = false)
        : JoinRequest(names, mode, isPublisher)
    {
        public override IGroupListener ListenerFor(GroupInfo group) => new Session(node, group);

        public override void OnAdmitted(LocalGroup group, Instant now)
        {
        }

        public override void OnCompleted(Instant now) => node.Joined = true;

        public override void OnFailed(MembershipRefusal reason, string groupName, Instant now) =>
            node.Refusals.Add(reason);
    }

    private sealed class Departure(IReadOnlyList<LocalGroup> groups) : LeaveRequest(groups)
    {
        public override void OnCompleted(Instant now)
        {
        }
    }

    private sealed class Session(StackNode node, GroupInfo group) : IGroupListener
    {
        public void OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now) =>
            node.OnMessages(group, sender, run);

        public void OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
            Assert.Fail("nothing is lost here");

        public void OnSenderClosed(NodeInfo sender, Instant now)
        {
        }

        public void OnViewChanged(Instant now)
        {
        }

        public void OnTransition(IReadOnlyList<NodeInfo> together, Instant now)
        {
        }

        public void OnGateChanged(bool open, Instant now)
        {
        }
    }

    private sealed class Speaker : IMessageSource
    {
        private readonly LocalGroup _group;
        private readonly Queue<string> _texts = new();

        public Speaker(LocalGroup group)
        {
            _group = group;
            group.AddSource(this);
        }

        public void Say(string text, Instant now)
        {
            _texts.Enqueue(text);
            _group.Sender.Signal(this, now);
        }

        public bool Write(MessageWriter messages)
        {
            while (_texts.TryDequeue(out string? text))
            {
                byte[] bytes = System.Text.Encoding.UTF8.GetBytes(text);
                bytes.CopyTo(messages.GetSpan(bytes.Length));
                messages.Advance(bytes.Length);
                if (!messages.EndMessage()) return true;
            }
            return false;
        }
    }
}
