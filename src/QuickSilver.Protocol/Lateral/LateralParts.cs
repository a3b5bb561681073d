using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>What the parts of the engine share. Core thread only.</summary>
internal sealed class LateralParts
{
    private readonly Dictionary<uint, LateralGroup> _byId = [];
    private readonly List<LateralGroup> _groups = [];
    private LateralGroup? _last;

    public LateralParts(ModeContext context, LateralCounters counters, long cacheBytes)
    {
        Context = context;
        Counters = counters;
        Arena = new Arena(context.Pool, BufferOwner.Cache);
        Cache = new BlockCache(Arena, cacheBytes);
        Peers = new LateralPeers(context.Cluster);
        Repairing = new LateralRepairing(this);
        Asking = new LateralAsking(this);
        Delivering = new LateralDelivering(this);
        Search = new LateralSearch(this);
        Receiving = new LateralReceiving(this);
        Sending = new LateralSending(this);
        Reports = new LateralReports(this);
    }

    public ModeContext Context { get; }

    public LateralCounters Counters { get; }

    public Arena Arena { get; }

    public BlockCache Cache { get; }

    public LateralPeers Peers { get; }

    public LateralRepairing Repairing { get; }

    public LateralAsking Asking { get; }

    public LateralDelivering Delivering { get; }

    public LateralSearch Search { get; }

    public LateralReceiving Receiving { get; }

    public LateralSending Sending { get; }

    public LateralReports Reports { get; }

    /// <summary>The groups with a session, by the order in which they began.</summary>
    public IReadOnlyList<LateralGroup> Groups => _groups;

    public LateralGroup? FindGroup(uint id)
    {
        if (_last is { } last && last.Id == id) return last;
        return _byId.TryGetValue(id, out LateralGroup? group) ? _last = group : null;
    }

    public LateralGroup Add(LateralGroup group)
    {
        _byId.Add(group.Id, group);
        _groups.Add(group);
        return group;
    }

    public void Remove(LateralGroup group)
    {
        _byId.Remove(group.Id);
        _groups.Remove(group);
        Reports.Forget(group);
        _last = null;
    }

    public void Close()
    {
        Sending.Close();
        Reports.Close();
        Asking.Close();
        foreach (LateralGroup group in _groups) Delivering.Forget(group);
        Repairing.Close();
        Search.Close();
        Receiving.Close();
        Cache.Close();
        Arena.Close();
    }
}
