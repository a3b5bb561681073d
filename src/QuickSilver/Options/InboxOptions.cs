namespace QuickSilver;

/// <summary>How a shared inbox behaves. Null means: as the node's <see cref="DeliveryOptions"/> say. Shared inboxes are not built yet.</summary>
public sealed class InboxOptions
{
    /// <summary>Most unread messages.</summary>
    public int? Capacity { get; set; }

    /// <summary>Most unread bytes.</summary>
    public long? MaxBytes { get; set; }

    /// <summary>What a full inbox does.</summary>
    public OverflowPolicy? Overflow { get; set; }

    /// <summary>Tells which message replaces which; keys are told apart per group.</summary>
    public KeySelector? Key { get; set; }
}
