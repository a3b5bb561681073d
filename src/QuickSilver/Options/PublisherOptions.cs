namespace QuickSilver;

/// <summary>Settings of one <see cref="GroupPublisher"/>. The opening copies and validates them; later changes have no
/// effect.</summary>
public sealed class PublisherOptions
{
    /// <summary>The delivery guarantee of the group. The first user of the name fixes it; another mode fails with
    /// <see cref="ErrorCode.GroupModeMismatch"/>.</summary>
    public GroupMode Mode { get; set; } = GroupMode.Reliable;

    /// <summary>Settings of a group of <see cref="GroupMode.Lateral"/>; refused in other modes. Null (default): the
    /// defaults.</summary>
    public LateralOptions? Lateral { get; set; }

    /// <summary>Whether the group has a multicast address of its own (<see cref="GroupOptions.Hybrid"/>). A publisher
    /// sends one copy there as a member does, and listens to nothing: it does not count for
    /// <see cref="TransportOptions.MaxHybridGroups"/>. The first user of the name fixes the value; another fails with
    /// <see cref="ErrorCode.GroupModeMismatch"/>. Default: false.</summary>
    public bool Hybrid { get; set; }

    /// <summary>Settings of a group of <see cref="GroupMode.Timed"/>; refused in other modes. Null (default): the
    /// defaults.</summary>
    public TimedOptions? Timed { get; set; }

    /// <summary>Reaction to an exception of a feed. Null (default):
    /// <see cref="DeliveryOptions.HandlerErrors"/>.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal void Validate(string parameter) => Check().ThrowIfAny(parameter);

    private OptionErrors Check()
    {
        var errors = new OptionErrors();
        GroupModeOptions.Validate(errors, Mode, Hybrid, Lateral, Timed);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        return errors;
    }
}
