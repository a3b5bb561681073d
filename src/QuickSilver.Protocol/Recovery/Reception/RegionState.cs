using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// What all parts of the recovery of one region view share: the view, its streams, and what its ring has found. It
/// knows none of the parts. Core thread only.
/// </summary>
internal sealed class RegionState
{
    // A window is less than a receive buffer, which charges a packet with more than this.
    private const ulong BytesUnderWay = 512;
    private const ulong LeastUnderWay = 1024;

    private readonly RecoveryContext _node;
    private readonly IReadOnlyList<IRegionChannel> _hybrids;
    private readonly ulong _dropsBefore;
    private RepeatBudget[]? _budgets;

    /// <summary>Begins a view of which nothing has come.</summary>
    /// <param name="node">The node's recovery.</param>
    /// <param name="view">The view.</param>
    /// <param name="channel">Its channel; null: it is carried by unicast.</param>
    /// <param name="hybrids">Channels of hybrid groups, which may carry packets of the view, too.</param>
    public RegionState(
        RecoveryContext node, RegionView view, IRegionChannel? channel, IReadOnlyList<IRegionChannel> hybrids)
    {
        _node = node;
        View = view;
        ViewTag = view.Number.Tag;
        Self = view.IndexOf(node.SelfKey);
        Channel = channel;
        _hybrids = hybrids;
        _dropsBefore = HybridDrops();
        Streams = new RegionStreams(node, view, Self);
        Ring = new RingFacts(Self);
        int buffer = int.MaxValue;
        foreach (NodeInfo member in view.Members) buffer = Math.Min(buffer, member.ReceiveBufferBytes);
        MostUnderWay = Math.Max(LeastUnderWay, (ulong)buffer / BytesUnderWay);
    }

    /// <summary>The view that is recovered.</summary>
    public RegionView View { get; }

    public uint ViewTag { get; }

    /// <summary>A bound above the number of packets of a stream that its sender can have under way.</summary>
    public ulong MostUnderWay { get; }

    /// <summary>This member.</summary>
    public int Self { get; }

    public IRegionChannel? Channel { get; }

    /// <summary>
    /// Datagrams that the kernel dropped since the view began here because a receive buffer was full.
    /// </summary>
    public ulong Drops => (Channel?.Drops ?? 0) + HybridDrops() - _dropsBefore;

    public RegionStreams Streams { get; }

    public RingFacts Ring { get; }

    /// <summary>True while some stream may still need recovery here.</summary>
    public bool IsActive => Streams.AnyActive;

    /// <summary>Repeats that the view's members have earned together.</summary>
    public double EarnedRepeats { get; private set; }

    /// <summary>The budget of repeats of one member.</summary>
    public ref RepeatBudget BudgetOf(int member) => ref (_budgets ??= new RepeatBudget[View.Members.Length])[member];

    /// <summary>
    /// Packets of the view were repaired for the first time, or are stable: its members may receive more repeats.
    /// </summary>
    public void OnEarned(double repeats)
    {
        EarnedRepeats += repeats;
        _node.EarnedRepeats += repeats;
    }

    /// <summary>
    /// False for a packet, a note or a beacon whose source is neither its sender nor the peer that repairs. Checked
    /// first, so that forged datagrams begin no stream. True where that node is unknown: a later check rejects it.
    /// </summary>
    public bool MaySend(in DatagramHeader header, in Arrival arrival)
    {
        NodeInfo? speaker = !header.IsFromPeer ? Streams.Describe(header.Sender)
            : header.Relay < View.Members.Length ? View.Members[header.Relay] : null;
        return speaker is null || speaker.MaySend(header.Kind, arrival);
    }

    /// <summary>True when the member that repairs is another one, and is not removed.</summary>
    public bool IsLivePeer(int relay, out RejectReason reason)
    {
        reason = RejectReason.None;
        if (relay >= View.Members.Length || relay == Self) reason = RejectReason.UnknownSender;
        else if (View.Members[relay].IsRemoved) reason = RejectReason.RemovedSender;
        return reason == RejectReason.None;
    }

    /// <summary>Applies the result of a round to the caches.</summary>
    public void CleanUp(StreamReceiver stream, ulong cleanup, Span<ulong> held)
    {
        long before = stream.Cache.Bytes;
        if (cleanup > stream.Cleanup) OnEarned((cleanup - stream.Cleanup) * RepeatBudget.ByStable);
        stream.CleanUp(cleanup);
        if (!held.IsEmpty) stream.MergeHeld(held);
        _node.Counters.CachedBytes += stream.Cache.Bytes - before;
    }

    private ulong HybridDrops()
    {
        ulong drops = 0;
        for (int index = 0; index < _hybrids.Count; index++) drops += _hybrids[index].Drops;
        return drops;
    }
}
