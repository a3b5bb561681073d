using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>The stage as the protocol takes from it, when it can send. Core thread only.</summary>
internal sealed partial class Outbox
{
    // Bytes after the present message whose memory is asked for: it was not written for milliseconds.
    private const int StoresAhead = 1024;

    // The group found last, and its next entry; none once another group's turn has come.
    private GroupCore? _found;
    private StagePosition _next;

    // The groups besides, of a message to several.
    private readonly List<GroupSender> _others = [];

    // Taken by the protocol in the present call of Write.
    private int _taken;
    private long _takenBytes;

    /// <inheritdoc/>
    public IReadOnlyList<GroupSender> Others => _others;

    /// <inheritdoc/>
    public GroupSender? FindNext(Instant now)
    {
        _services.CheckCoreThread();
        _found = null;
        while (_stage.TryPeek(out StageEntry entry))
        {
            if (entry.Request is StageBarrier barrier)
            {
                _stage.Advance();
                barrier.Reach(now);
            }
            else if (GroupOf(entry).Sender is { } sender && TryFindOthers(entry))
            {
                _stage.LookAhead();
                _found = GroupOf(entry);
                _next = _stage.Gather();
                return sender;
            }
            else
            {
                Drop(entry);
                _stage.Advance();
            }
        }
        return null;
    }

    /// <inheritdoc/>
    public bool HasAlike
    {
        get
        {
            StagePosition at = _next;
            return _found is { } group
                && _stage.TryFollow(ref at, group, out StageEntry second) && second.Request is null
                && _next.Block.TryRead(_next.Slot, out StageEntry first) && first.Request is null
                && second.Message.Length == first.Message.Length;
        }
    }

    /// <inheritdoc/>
    public bool Write(GroupSender group, MessageWriter messages)
    {
        _services.CheckCoreThread();
        GroupCore? core = _found;
        if (core is not null && core.Sender == group)
        {
            if (messages.TryGetBatchRoom(out Span<byte> room, out int length)) TakeAlike(core, messages, room, length);
            else TakeOne(core, messages);
        }
        if (_taken > 0)
        {
            Gate.OnSent(_taken, _takenBytes);
            core!.OnFed(_taken, _takenBytes);
            Touch();
            _taken = 0;
            _takenBytes = 0;
        }
        bool hasMore = _stage.TryPeek(out StageEntry entry);
        // A barrier is reached after the protocol has counted the messages of this call.
        if (hasMore && entry.Request is StageBarrier) Signal();
        return hasMore;
    }

    /// <inheritdoc/>
    public SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now)
    {
        _services.CheckCoreThread();
        bool any = _stage.TryPeek(out StageEntry entry);
        Debug.Assert(!KeepsOrder && any && GroupOf(entry).Sender == group, "not the group that was found");
        if (_all.Move(GroupOf(entry), this, other?.Source as Outbox, waits, now) is { } to) return to.Lane;
        Signal();
        return null;
    }

    // False when one of the groups is gone: then the message goes to none.
    private bool TryFindOthers(in StageEntry entry)
    {
        _others.Clear();
        ISendOwner[] owners = OwnersOf(entry);
        for (int index = 1; index < owners.Length; index++)
        {
            if (((GroupCore)owners[index].StagedGroup).Sender is not { } sender) return false;
            _others.Add(sender);
        }
        return true;
    }

    // Writes the group's next messages side by side, as long as they have the length.
    private void TakeAlike(GroupCore group, MessageWriter messages, Span<byte> room, int length)
    {
        StagePosition at = _next;
        bool any = at.Block.TryRead(at.Slot, out StageEntry entry);
        int offset = 0;
        while (any && entry.Request is null && entry.Message.Length == length && offset <= room.Length - length)
        {
            entry.Message.CopyTo(room[offset..]);
            offset += length;
            CacheLines.Fetch(room, offset + StoresAhead);
            any = TakeNext(group, ref at, out entry);
        }
        _next = at;
        if (!any) _found = null;
        if (offset == 0) return;
        _taken += offset / length;
        _takenBytes += offset;
        messages.EndMessages(offset / length);
    }

    // Passes the group's next message to the protocol.
    private void TakeOne(GroupCore group, MessageWriter messages)
    {
        StagePosition at = _next;
        if (!at.Block.TryRead(at.Slot, out StageEntry entry)) return;
        _taken++;
        int length = entry.Message.Length;
        object? request = entry.Request;
        if (request is null)
        {
            _takenBytes += length;
            entry.Message.CopyTo(messages.GetSpan(length));
        }
        if (!TakeNext(group, ref at, out _)) _found = null;
        _next = at;
        if (request is not null)
        {
            Pass(group, messages, request);
            return;
        }
        messages.Advance(length);
        messages.EndMessage();
    }

    // Removes an entry and finds the group's next.
    private bool TakeNext(GroupCore group, scoped ref StagePosition at, out StageEntry next)
    {
        StagePosition taken = at;
        bool any = _stage.TryFollow(ref at, group, out next);
        _stage.Take(taken);
        return any;
    }

    private void Pass(GroupCore group, MessageWriter messages, object request)
    {
        var ticket = request as ConfirmTicket;
        PooledPayload payload = ticket?.Payload ?? (PooledPayload)request;
        _takenBytes += payload.Length;
        if (payload.Owners is { } owners)
        {
            for (int index = 1; index < owners.Length; index++)
                ((GroupCore)owners[index].StagedGroup).OnFed(1, payload.Length);
            payload.Owners = null;
        }
        bool isPlain = ticket is null && !payload.IsPiece && payload.Traits.IsNone;
        if (isPlain && payload.Length <= SendStage.LongestMessage)
        {
            // A short message has its own buffer when its sender waited at the gate.
            payload.Span.CopyTo(messages.GetSpan(payload.Length));
            messages.Advance(payload.Length);
            payload.Release();
            messages.EndMessage();
            return;
        }
        if (ticket is not null) group.Follow(ticket);
        messages.Hand(payload, ticket, payload.IsPiece);
    }
}
