using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Tests.Dissemination;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Modes;

/// <summary>One node's engine of a mode of groups, with nothing around it but the test: it sends what the test takes,
/// and receives what the test gives.</summary>
/// <param name="world">The world. Its disseminator is that of the first node.</param>
internal abstract class ModeNode(SendWorld world) : ISink, IDeliveryListener
{
    private readonly List<IFeed> _feeds = [];
    private IModeEngine? _engine;

    /// <summary>Takes the next train that the engine sends.</summary>
    public bool TryNext(out Train train)
    {
        while (_feeds.Count > 0)
        {
            IFeed feed = _feeds[0];
            if (feed.TryPull(world.Now, out train)) return true;
            _feeds.Remove(feed);
        }
        train = default;
        return false;
    }

    void ISink.Register(IFeed feed, PriorityClass priority)
    {
        // A feed that is asked and registers itself stays; the list is short.
        if (!_feeds.Contains(feed)) _feeds.Add(feed);
    }

    void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch batch, Instant now) => OnMessages(batch);

    void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) => OnLoss(first, count);

    void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now)
    {
    }

    /// <summary>Messages have come.</summary>
    protected abstract void OnMessages(in DeliveryBatch batch);

    /// <summary>Messages will not come.</summary>
    protected abstract void OnLoss(ulong first, ulong count);

    /// <summary>What the engine of a node stands on.</summary>
    protected ModeContext ContextOf(NodeInfo self, byte mode)
    {
        var transport = new SendTransport { Facts = world.Transport.Facts };
        return new ModeContext
        {
            Transport = transport,
            Roots = this,
            Alarms = world.Alarms,
            Random = new SeededRandom(self.Number.Counter),
            Pool = world.Pool,
            Probes = Probes.None,
            Cluster = world.Cluster,
            Outlet = self.Number.Counter == 1
                ? world.Disseminator.OutletOf(mode)
                : new SendWorld().Disseminator.OutletOf(mode),
            Casts = new RegionCasts(transport, world.Disseminator.Paths, new CarrierMemory()),
            SelfKey = self.Number.Key,
            ClusterInstance = SendWorld.ClusterInstance,
        };
    }

    /// <summary>Opens the group, of which this node is a member.</summary>
    protected void Open(IModeEngine engine, GroupInfo group, ModeSettings settings)
    {
        _engine = engine;
        engine.OnOpened(
            new ModeSession(group, SendWorld.Step(1), false, settings, this, new ModeTotals()), world.Now);
        engine.OnStepInstalled(
            new InstalledStep
            {
                Number = SendWorld.Step(1),
                Opened = [],
                Superseded = [],
                Layout = world.Cluster.Layout,
                Joined = [],
                Left = [],
                Removed = [],
            },
            world.Now);
    }

    /// <summary>Gives the engine a datagram. Asserts without allocating, as what is allocated is counted.</summary>
    protected RejectReason Take(ReadOnlySpan<byte> datagram, NodeInfo from, SocketRole role)
    {
        if (DatagramHeader.TryRead(datagram, out DatagramHeader header) != RejectReason.None)
            Assert.Fail("the header is bad");
        return _engine!.OnDatagram(
            header, from, datagram[DatagramHeader.Length..], default, new Arrival(role, from.Data), world.Now);
    }
}
