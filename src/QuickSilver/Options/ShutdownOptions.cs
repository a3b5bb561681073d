namespace QuickSilver;

/// <summary>How long an orderly end may take.</summary>
public sealed class ShutdownOptions
{
    /// <summary>How long a dispose waits until what was sent is held by everybody. Default: 5 s.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>After how long <see cref="QuickSilverNode.DisposeAsync"/> gives the core thread up, draining included: when a handler hangs. To close
    /// the connection and to write the log out may take a second each beyond it. Default: 10 s.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    internal ShutdownOptions Copy() => (ShutdownOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.NotNegative("Shutdown.DrainTimeout", DrainTimeout);
        errors.Positive("Shutdown.Timeout", Timeout);
        if (DrainTimeout > Timeout) errors.Add("Shutdown.DrainTimeout", $"{DrainTimeout} is longer than Shutdown.Timeout ({Timeout})");
    }
}
