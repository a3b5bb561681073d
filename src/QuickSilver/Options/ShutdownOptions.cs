namespace QuickSilver;

/// <summary>How long an orderly end may take.</summary>
public sealed class ShutdownOptions
{
    /// <summary>How long a dispose waits until what was sent is held by everybody. Default: 5 s.</summary>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long <see cref="QuickSilverNode.DisposeAsync"/> takes at most, draining included, even when a handler
    /// hangs. Default: 10 s.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(10);

    internal void CopyTo(ShutdownOptions copy)
    {
        copy.DrainTimeout = DrainTimeout;
        copy.Timeout = Timeout;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.NotNegative("Shutdown.DrainTimeout", DrainTimeout);
        errors.Positive("Shutdown.Timeout", Timeout);
        if (DrainTimeout > Timeout) errors.Add("Shutdown.DrainTimeout", $"{DrainTimeout} is longer than Shutdown.Timeout ({Timeout})");
    }
}
