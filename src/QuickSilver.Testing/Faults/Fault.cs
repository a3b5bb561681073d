using System.Text.Json.Serialization;

namespace QuickSilver.Testing.Faults;

/// <summary>
/// Something that goes wrong at a time. Faults are data: a run executes the list it was given, so a failing list can be
/// cut down, one fault after the other, while the rest of the run stays as it was.
/// </summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts; <see cref="Timeout.InfiniteTimeSpan"/>: for ever.</param>
[JsonPolymorphic(TypeDiscriminatorPropertyName = "fault")]
[JsonDerivedType(typeof(BurstLoss), "bursts")]
[JsonDerivedType(typeof(CopyFault), "copy")]
[JsonDerivedType(typeof(CorruptionBurst), "corruption")]
[JsonDerivedType(typeof(DeafNode), "deaf")]
[JsonDerivedType(typeof(FalseWitness), "false-witness")]
[JsonDerivedType(typeof(ForgedSource), "forged-source")]
[JsonDerivedType(typeof(HostFreeze), "host-freeze")]
[JsonDerivedType(typeof(HostOutage), "host-outage")]
[JsonDerivedType(typeof(Islands), "islands")]
[JsonDerivedType(typeof(KindDelay), "kind-delay")]
[JsonDerivedType(typeof(KindLoss), "kind")]
[JsonDerivedType(typeof(LateDuplicates), "late")]
[JsonDerivedType(typeof(LengthLimit), "length")]
[JsonDerivedType(typeof(LinkCut), "cut")]
[JsonDerivedType(typeof(LossBurst), "loss")]
[JsonDerivedType(typeof(MembershipOutage), "channel-outage")]
[JsonDerivedType(typeof(MembershipStall), "channel-stall")]
[JsonDerivedType(typeof(MulticastOutage), "multicast-outage")]
[JsonDerivedType(typeof(MuteNode), "mute")]
[JsonDerivedType(typeof(NodeCrash), "crash")]
[JsonDerivedType(typeof(NodeFreeze), "freeze")]
[JsonDerivedType(typeof(NodeRestart), "restart")]
[JsonDerivedType(typeof(NodeUpgrade), "upgrade")]
[JsonDerivedType(typeof(PartialPartition), "partial")]
[JsonDerivedType(typeof(Partition), "partition")]
[JsonDerivedType(typeof(ServerFreeze), "server-freeze")]
[JsonDerivedType(typeof(ServerOutage), "server-outage")]
[JsonDerivedType(typeof(ServerReplacement), "server-replacement")]
[JsonDerivedType(typeof(SlowHandler), "slow-handler")]
[JsonDerivedType(typeof(SlowNode), "slow")]
[JsonDerivedType(typeof(PeerCut), "peer-cut")]
[JsonDerivedType(typeof(StoreCut), "store-cut")]
[JsonDerivedType(typeof(StoreOutage), "store-outage")]
[JsonDerivedType(typeof(UnicastOutage), "unicast-outage")]
internal abstract record Fault(TimeSpan At, TimeSpan Duration)
{
    private static readonly TimeSpan Long = TimeSpan.FromHours(12);

    /// <summary>True when it lasts longer than any run.</summary>
    [JsonIgnore]
    public bool IsForEver => Duration == Timeout.InfiniteTimeSpan || Duration > Long;

    /// <summary>Indices of the machines that it makes unfit to keep promises while it lasts; empty for a fault of the
    /// network between them.</summary>
    internal virtual IReadOnlyList<int> Hits => [];

    /// <summary>True when the machines it hits can be taken for dead by the membership server; false: those it hits may
    /// stay in the views for as long as nobody needs them.</summary>
    internal virtual bool IsSeenByServer => true;

    /// <summary>Begins or ends the fault.</summary>
    internal abstract void Apply(SimulatedCluster cluster, bool begins);
}
