namespace QuickSilver.Dashboard;

/// <summary>Options of a dashboard, read once when it is mapped.</summary>
public sealed class DashboardOptions
{
    /// <summary>Most browsers that follow the cluster at once, 1 to 10,000. Each further one is answered 503 and tries
    /// again by itself. Default: 256.</summary>
    public int MaxStreams { get; set; } = 256;

    /// <summary>How long the cluster is watched after the last browser has gone, up to an hour. A page that is loaded
    /// again within this time finds its figures. Default: 5 s.</summary>
    public TimeSpan Linger { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Key of the node's services, as given to <c>AddKeyedQuickSilver</c>. Null, the default, takes the node
    /// without a key. Has no effect when the node is given.</summary>
    public string? NodeKey { get; set; }

    /// <summary>Refuses values out of range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of range.</exception>
    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxStreams, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxStreams, 10_000);
        ArgumentOutOfRangeException.ThrowIfLessThan(Linger, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Linger, TimeSpan.FromHours(1));
    }
}
