using QuickSilver.Protocol.Membership;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Testing.Invariants;

/// <summary>One group as the run knows it: what each node sent to it.</summary>
internal sealed class GroupLog(string name, int index, int nodes)
{
    private readonly SenderLog?[] _bySender = new SenderLog?[nodes];
    private readonly List<int> _senders = [];

    /// <summary>Its name.</summary>
    public string Name { get; } = name;

    /// <summary>True for a group whose messages may be late, and are then not delivered.</summary>
    public bool IsTimed { get; } = SimulatedModes.Of(name) == GroupModes.Timed;

    /// <summary>Its name in the log of the run: that of a group that came back under another id has its index,
    /// too.</summary>
    public string LogName { get; init; } = name;

    /// <summary>Its place in the order of first use.</summary>
    public int Index { get; } = index;

    /// <summary>The nodes that something may be known of, in the order of their first message.</summary>
    public IReadOnlyList<int> Senders => _senders;

    /// <summary>What a node sent; null when nothing.</summary>
    public SenderLog? Find(int sender) => _bySender[sender];

    /// <summary>What a node sent, made when there was nothing.</summary>
    public SenderLog Of(int sender)
    {
        if (_bySender[sender] is { } log) return log;
        _senders.Add(sender);
        return _bySender[sender] = new SenderLog();
    }
}
