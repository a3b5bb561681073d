namespace QuickSilver;

/// <summary>Settings of a shared inbox (<see cref="QuickSilverNode.CreateInbox"/>). They hold for all its groups
/// together; the limits of <see cref="GroupOptions"/> hold for each group's part of it. A message must fit both. A null
/// value inherits the node's <see cref="DeliveryOptions"/>.</summary>
public sealed class InboxOptions
{
    /// <summary>Limit on unread messages of all groups. Null (default):
    /// <see cref="DeliveryOptions.InboxMaxMessages"/>.</summary>
    public int? MaxMessages { get; set; }

    /// <summary>Limit on unread bytes of all groups, undisposed leases included. A single larger message is accepted
    /// into an empty inbox. Null (default): <see cref="DeliveryOptions.InboxMaxBytes"/>.</summary>
    public long? MaxBytes { get; set; }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal void Validate(string parameter) => Check().ThrowIfAny(parameter);

    private OptionErrors Check()
    {
        var errors = new OptionErrors();
        if (MaxMessages is { } messages) errors.InRange(nameof(MaxMessages), messages, 1, 1 << 24);
        if (MaxBytes is { } bytes) errors.InRange(nameof(MaxBytes), bytes, 1, long.MaxValue);
        return errors;
    }
}
