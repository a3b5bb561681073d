using System.Buffers;
using System.Text.Unicode;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The joins and leaves that the node has requested, as a member and as a publisher, in order: those not sent yet, and
/// those that no step contains yet. Another server receives the latter again. Consecutive requests of one kind share
/// frames.
/// </summary>
internal sealed class AgentRequests
{
    // A frame of this length still has room for one more entry.
    private const int FullBytes = MembershipFrames.MaxNodeFrameBytes - (2 * FrameFields.MaxRequestedNameBytes);

    private readonly List<AgentRequest> _waiting = [];
    private readonly OpenRequests _unanswered = new();
    private readonly OpenRequests _unansweredPublishing = new();
    private readonly byte[] _name = new byte[FrameFields.MaxRequestedNameBytes];
    private readonly FrameBuilder _frame = new();
    private readonly FrameBuilder _entries = new();
    private int _count;

    /// <summary>Requests to join a group.</summary>
    public void Join(string name, byte mode) => _waiting.Add(new AgentRequest(name, mode, 0));

    /// <summary>Requests to leave a group.</summary>
    public void Leave(GroupId group) => _waiting.Add(new AgentRequest(null, 0, group.Counter));

    /// <summary>Requests to publish to a group.</summary>
    public void Publish(string name, byte mode) => _waiting.Add(new AgentRequest(name, mode, 0, true));

    /// <summary>Requests to cease to publish to a group.</summary>
    public void Cease(GroupId group) => _waiting.Add(new AgentRequest(null, 0, group.Counter, true));

    /// <inheritdoc cref="OpenRequests.Shared"/>
    public string Shared(string name) => _unansweredPublishing.Shared(_unanswered.Shared(name));

    /// <summary>A step has granted requests. A leave also answers earlier joins of its group.</summary>
    public void OnStepInstalled(InstalledStep step)
    {
        foreach (GroupInfo group in step.Joined) _unanswered.RemoveJoin(group.Name);
        foreach (GroupInfo group in step.Left) _unanswered.RemoveLeave(group.Id.Counter, group.Name);
        if (step.Joined.Count + step.Left.Count > 0) _unanswered.Trim();
        foreach (GroupInfo group in step.Published) _unansweredPublishing.RemoveJoin(group.Name);
        foreach (GroupInfo group in step.Ceased) _unansweredPublishing.RemoveLeave(group.Id.Counter, group.Name);
        if (step.Published.Count + step.Ceased.Count > 0) _unansweredPublishing.Trim();
    }

    /// <summary>A join, or a publisher, has been refused.</summary>
    public void OnRefused(string name, bool isPublisher)
    {
        OpenRequests unanswered = isPublisher ? _unansweredPublishing : _unanswered;
        unanswered.RemoveJoin(name);
        unanswered.Trim();
    }

    /// <summary>
    /// Queues the requests that the former server had not granted for another one, ahead of those not sent yet.
    /// </summary>
    public void AskAgain()
    {
        _unansweredPublishing.MoveTo(_waiting);
        _unanswered.MoveTo(_waiting);
    }

    /// <summary>Takes all requests that wait.</summary>
    /// <returns>The frames to send, and those whose names no frame can carry: not Unicode, or far too long.</returns>
    public (List<byte[]> Frames, List<AgentRequest> Impossible) Take()
    {
        var frames = new List<byte[]>();
        var impossible = new List<AgentRequest>();
        for (int index = 0; index < _waiting.Count; index++)
        {
            (string? name, byte mode, uint group, bool isPublisher) = _waiting[index];
            bool isGood = true;
            if (name is null) _entries.WriteVarint(group);
            if (name is not null && !TryWrite(name))
            {
                isGood = false;
                impossible.Add(_waiting[index]);
            }
            if (isGood)
            {
                _count++;
                (isPublisher ? _unansweredPublishing : _unanswered).Add(_waiting[index]);
            }
            bool isLast = index + 1 == _waiting.Count
                || (_waiting[index + 1].Name is null) != (name is null)
                || _waiting[index + 1].IsPublisher != isPublisher
                || _waiting[index + 1].Mode != mode;
            bool isFull = _entries.Length > FullBytes || _count == EntryFrames.MaxEntries;
            if (isLast || isFull) Flush(KindOf(name is not null, isPublisher), mode, frames);
        }
        _waiting.Clear();
        SpareRoom.GiveBack(_waiting);
        return (frames, impossible);
    }

    private bool TryWrite(string name)
    {
        OperationStatus status = Utf8.FromUtf16(name, _name, out _, out int written, replaceInvalidSequences: false);
        if (status != OperationStatus.Done) return false;
        _entries.WriteVarint((ulong)written).WriteBytes(_name.AsSpan(0, written));
        return true;
    }

    private static FrameKind KindOf(bool isJoin, bool isPublisher) => (isJoin, isPublisher) switch
    {
        (true, false) => FrameKind.Join,
        (false, false) => FrameKind.Leave,
        (true, true) => FrameKind.Publish,
        (false, true) => FrameKind.Cease,
    };

    private void Flush(FrameKind kind, byte mode, List<byte[]> frames)
    {
        if (_count > 0)
        {
            _frame.Begin(kind);
            if (kind is FrameKind.Join or FrameKind.Publish) _frame.WriteByte(mode);
            frames.Add(_frame.WriteVarint((ulong)_count).WriteBytes(_entries.Span).ToArray());
        }
        _frame.Begin();
        _entries.Begin();
        _count = 0;
    }
}
