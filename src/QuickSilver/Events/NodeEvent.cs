using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Something that happened to a node; see <see cref="QuickSilverNode.Events"/>.</summary>
[JsonDerivedType(typeof(CarrierEvent), nameof(CarrierEvent))]
[JsonDerivedType(typeof(GroupEndedEvent), nameof(GroupEndedEvent))]
[JsonDerivedType(typeof(LossReportEvent), nameof(LossReportEvent))]
[JsonDerivedType(typeof(RejoinedEvent), nameof(RejoinedEvent))]
[JsonDerivedType(typeof(StallEvent), nameof(StallEvent))]
[JsonDerivedType(typeof(StateEvent), nameof(StateEvent))]
public abstract record NodeEvent
{
    private protected NodeEvent()
    {
    }

    /// <summary>When it happened, by the machine's clock.</summary>
    public DateTimeOffset Time { get; init; } = TimeProvider.System.GetUtcNow();
}
