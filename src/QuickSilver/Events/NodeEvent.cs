using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>A report about a node as a whole; see <see cref="QuickSilverNode.Events"/>.</summary>
[JsonDerivedType(typeof(CarrierSelected), nameof(CarrierSelected))]
[JsonDerivedType(typeof(GroupEnded), nameof(GroupEnded))]
[JsonDerivedType(typeof(LossReported), nameof(LossReported))]
[JsonDerivedType(typeof(MemberShed), nameof(MemberShed))]
[JsonDerivedType(typeof(NodeRejoined), nameof(NodeRejoined))]
[JsonDerivedType(typeof(SendsHeldUp), nameof(SendsHeldUp))]
[JsonDerivedType(typeof(SendsResumed), nameof(SendsResumed))]
[JsonDerivedType(typeof(CoreStalled), nameof(CoreStalled))]
[JsonDerivedType(typeof(NodeStateChanged), nameof(NodeStateChanged))]
public abstract record NodeEvent
{
    private protected NodeEvent()
    {
    }

    /// <summary>When it happened, by the machine's clock.</summary>
    public DateTimeOffset Time { get; init; } = TimeProvider.System.GetUtcNow();
}
