using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>Unread losses, one note for each sender and reason, in the order of their first loss. Belongs to one thread at a time.</summary>
internal sealed class LossNotes
{
    private readonly List<LossNote> _notes = [];
    private readonly Dictionary<(NodeInfo Sender, LossReason Reason), LossNote> _byKey = [];

    /// <summary>How many notes there are.</summary>
    public int Count => _notes.Count;

    /// <summary>Adds a loss, merged with what is there. Allocates for a sender's first only.</summary>
    public void Add(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        if (_byKey.TryGetValue((sender, reason), out LossNote? note))
        {
            note.Merge(first, count);
            return;
        }
        note = new LossNote(sender, first, count, reason);
        _byKey.Add((sender, reason), note);
        _notes.Add(note);
    }

    /// <summary>Adds all of another's.</summary>
    public void AddAll(LossNotes other)
    {
        foreach (LossNote note in other._notes) Add(note.Sender, note.First, note.Count, note.Reason);
    }

    /// <summary>Takes the first note of a sender, if it has one.</summary>
    public bool TryTake(NodeInfo sender, [NotNullWhen(true)] out LossNote? note)
    {
        for (int index = 0; index < _notes.Count; index++)
        {
            note = _notes[index];
            if (!ReferenceEquals(note.Sender, sender)) continue;
            RemoveAt(index);
            return true;
        }
        note = null;
        return false;
    }

    /// <summary>Takes the oldest note, if there is one.</summary>
    public bool TryTake([NotNullWhen(true)] out LossNote? note)
    {
        note = _notes.Count > 0 ? _notes[0] : null;
        if (note is not null) RemoveAt(0);
        return note is not null;
    }

    private void RemoveAt(int index)
    {
        LossNote note = _notes[index];
        _notes.RemoveAt(index);
        _byKey.Remove((note.Sender, note.Reason));
    }
}
