namespace QuickSilver;

/// <summary>Something that happened to a node; see <see cref="QuickSilverNode.Events"/>.</summary>
public abstract record NodeEvent
{
    private protected NodeEvent()
    {
    }

    /// <summary>When it happened, by the machine's clock.</summary>
    public DateTimeOffset Time { get; init; } = TimeProvider.System.GetUtcNow();
}
