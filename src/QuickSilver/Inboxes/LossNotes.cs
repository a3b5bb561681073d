using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// Unread losses in the order in which they happened. Consecutive losses of one sender for one reason share a note.
/// Owned by one thread at a time.
/// </summary>
internal sealed class LossNotes
{
    /// <summary>The most notes but for one more of each sender that has none.</summary>
    public const int MaxNotes = 1_024;

    private readonly List<LossNote> _notes = [];
    private readonly Dictionary<NodeInfo, LossNote> _last = [];

    /// <summary>Number of notes.</summary>
    public int Count => _notes.Count;

    /// <summary>
    /// Adds a loss. It is merged with the sender's last one if the reason is the same, and for any reason once there
    /// are a thousand notes. Allocates for a new note only.
    /// </summary>
    public void Add(in Loss loss)
    {
        if (_last.TryGetValue(loss.Sender, out LossNote? note)
            && (note.Reason == loss.Reason || _notes.Count >= MaxNotes))
        {
            note.Merge(loss.First, loss.Count);
            return;
        }
        note = new LossNote(loss);
        _last[loss.Sender] = note;
        _notes.Add(note);
    }

    /// <summary>Adds all notes of another object, which are later.</summary>
    public void AddAll(LossNotes later)
    {
        foreach (LossNote note in later._notes) Add(new Loss(note.Sender, note.First, note.Count, note.Reason));
    }

    /// <summary>Takes the first note of a sender, if there is one.</summary>
    public bool TryTake(NodeInfo sender, [NotNullWhen(true)] out LossNote? note)
    {
        note = null;
        if (!_last.ContainsKey(sender)) return false;
        int index = 0;
        while (!ReferenceEquals(_notes[index].Sender, sender)) index++;
        note = RemoveAt(index);
        return true;
    }

    /// <summary>Takes the oldest note, if there is one.</summary>
    public bool TryTake([NotNullWhen(true)] out LossNote? note)
    {
        note = _notes.Count > 0 ? RemoveAt(0) : null;
        return note is not null;
    }

    private LossNote RemoveAt(int index)
    {
        LossNote note = _notes[index];
        _notes.RemoveAt(index);
        if (ReferenceEquals(_last[note.Sender], note)) _last.Remove(note.Sender);
        return note;
    }
}
