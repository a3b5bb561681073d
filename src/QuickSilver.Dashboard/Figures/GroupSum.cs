using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>A group over the nodes that report it.</summary>
/// <param name="first">What one of them says; its figures are not counted yet.</param>
internal sealed class GroupSum(GroupRow first)
{
    private int _members;
    private int _regions;
    private double _sent;
    private double _received;
    private double _bytes;
    private double _pending;
    private double _inbox;
    private double _most;
    private string? _slowest;
    private double _lost;
    private double _dropped;

    /// <summary>Counts what a node says.</summary>
    public void Add(GroupRow row, string node)
    {
        _members = Math.Max(_members, row.Members);
        _regions = Math.Max(_regions, row.Regions);
        _sent += row.Sent;
        _received += row.Received;
        _bytes += row.BytesReceived;
        _pending += row.PendingBytes;
        _inbox += row.InboxBytes;
        _lost += row.Lost;
        _dropped += row.Dropped;
        if (row.InboxBytes <= _most) return;
        _most = row.InboxBytes;
        _slowest = node;
    }

    /// <summary>The sums.</summary>
    public GroupRow ToRow() => new()
    {
        Name = first.Name,
        Mode = first.Mode,
        Members = _members,
        Regions = _regions,
        Sent = _sent,
        Received = _received,
        BytesReceived = _bytes,
        PendingBytes = _pending,
        InboxBytes = _inbox,
        SlowestReader = _slowest,
        Lost = _lost,
        Dropped = _dropped,
    };
}
