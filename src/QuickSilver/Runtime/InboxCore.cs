namespace QuickSilver.Runtime;

/// <summary>The inbox of one handle.</summary>
internal sealed class InboxCore(Group group)
{
    /// <summary>The handle.</summary>
    public Group Group { get; } = group;

    /// <summary>A lease has ended. Any thread.</summary>
    public void OnLeaseReleased(in InboxEntry entry) => GC.KeepAlive(entry.Body);
}
