using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// What one session has of one sender: which numbers are done, which are missing, and where the session begins.
/// <para>
/// Idea: each packet says which message was its sender's first in its step, and in which step the one before was sent.
/// If that was before the session, the session begins there. Otherwise the one before is missing, and will tell
/// the same when it comes. So the beginning is found exactly, however many steps lie between.
/// </para>
/// <para>
/// Numbers below <see cref="Next"/> are done; those above are marked in a window of bits, which grows and is bounded.
/// What is known to exist and is not done is missing (<see cref="Missing"/>), in order of number. Core thread only.
/// </para>
/// </summary>
/// <param name="session">The session.</param>
/// <param name="sender">The sender.</param>
internal sealed class Reception(ModeSession session, NodeInfo sender)
{
    /// <summary>Limit on the numbers between the lowest that is not done and the highest.</summary>
    public const int MostOpen = 1 << 16;

    private ulong[] _bits = new ulong[2];

    public ModeSession Session { get; } = session;

    public NodeInfo Sender { get; } = sender;

    /// <summary>True once a packet of the session has come.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>True once it is known which message is the session's first.</summary>
    public bool IsLowFinal { get; private set; }

    /// <summary>The lowest number known to be for the session.</summary>
    public ulong Low { get; private set; }

    /// <summary>The lowest number that is not done.</summary>
    public ulong Next { get; private set; }

    /// <summary>The highest number known to exist.</summary>
    public ulong High { get; private set; }

    /// <summary>The missing numbers, rising.</summary>
    public List<MissingMessage> Missing { get; } = [];

    /// <summary>Messages of which some fragments have come.</summary>
    public List<Assembly> Assemblies { get; } = [];

    /// <summary>Messages that wait for their turn, and lost ones, by number; only where order is kept.</summary>
    public List<(ulong Number, Slice Bytes, bool IsLost)> Held { get; } = [];

    /// <summary>True while the engine looks at it for what is due.</summary>
    public bool IsWatched { get; set; }

    /// <summary>True once its sender has been removed.</summary>
    public bool IsOver { get; set; }

    /// <summary>When what is still missing of a removed sender is given up.</summary>
    public Core.Instant OverAt { get; set; }

    /// <summary>True once nothing more of a removed sender is taken.</summary>
    public bool IsClosed { get; set; }

    /// <summary>True for a number that was delivered or given up.</summary>
    public bool IsDone(ulong number)
    {
        if (!HasBegun) return false;
        if (number < Next) return true;
        ulong at = number - Next;
        return at < (ulong)(_bits.Length * 64) && (_bits[at / 64] & (1UL << (int)(at % 64))) != 0;
    }

    /// <summary>
    /// A packet says where its sender's messages begin that are for the session. Numbers that are missing by that are
    /// added to <see cref="Missing"/>.
    /// </summary>
    /// <param name="number">The packet's number.</param>
    /// <param name="firstInStep">The sender's first in the packet's step.</param>
    /// <param name="isFirst">True when the message before that one is not for the session.</param>
    /// <param name="template">What a missing message begins with.</param>
    public void NotePlace(ulong number, ulong firstInStep, bool isFirst, in MissingMessage template)
    {
        ulong low = isFirst ? firstInStep : firstInStep - 1;
        if (number - low >= MostOpen) low = number - MostOpen + 1;
        if (!HasBegun)
        {
            HasBegun = true;
            Low = Next = low;
            // What was asked for without knowing whether it is for the session.
            ForgetMissing(low);
            AddMissing(low, number, template);
            High = Math.Max(High, number);
            AddMissing(number, High, template);
        }
        else if (low < Low && !IsLowFinal)
        {
            Lower(low);
            AddMissing(low, number, template);
        }
        if (isFirst) IsLowFinal = true;
        NoteExists(number, template);
    }

    /// <summary>The session is taken to begin with the lowest number known.</summary>
    public void EndLow() => IsLowFinal = true;

    /// <summary>A number is known to exist: those up to it are missing unless they are done.</summary>
    public void NoteExists(ulong number, in MissingMessage template)
    {
        if (number <= High && (HasBegun || Find(number) >= 0)) return;
        ulong from = HasBegun ? Math.Max(Next, High + 1) : number;
        if (number - from >= MostOpen) from = number;
        High = Math.Max(High, number);
        AddMissing(from, number, template);
    }

    /// <summary>A number is delivered, or given up.</summary>
    public void SetDone(ulong number)
    {
        if (number >= Next && HasBegun)
        {
            ulong at = number - Next;
            if (at < 2 * MostOpen)
            {
                while (at >= (ulong)(_bits.Length * 64)) Array.Resize(ref _bits, 2 * _bits.Length);
                _bits[at / 64] |= 1UL << (int)(at % 64);
                Advance();
            }
        }
        int index = Find(number);
        if (index >= 0) Missing.RemoveAt(index);
    }

    /// <summary>Missing numbers below a limit are none of the session's.</summary>
    public void ForgetMissing(ulong below)
    {
        int count = 0;
        while (count < Missing.Count && Missing[count].Number < below) count++;
        Missing.RemoveRange(0, count);
    }

    /// <summary>The fragments that have come of a message; null: none.</summary>
    public Assembly? FindAssembly(ulong number)
    {
        foreach (Assembly assembly in Assemblies)
        {
            if (assembly.Number == number) return assembly;
        }
        return null;
    }

    /// <summary>Index of a missing number; negative when it is not missing.</summary>
    public int Find(ulong number)
    {
        int low = 0;
        int high = Missing.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            ulong found = Missing[middle].Number;
            if (found == number) return middle;
            if (found < number) low = middle + 1;
            else high = middle - 1;
        }
        return ~low;
    }

    private void AddMissing(ulong from, ulong to, MissingMessage template)
    {
        for (ulong number = from; number <= to && number != 0; number++)
        {
            if (IsDone(number)) continue;
            int index = Find(number);
            if (index < 0) Missing.Insert(~index, template with { Number = number });
        }
    }

    private void Lower(ulong low)
    {
        bool[] done = new bool[_bits.Length * 64];
        for (int index = 0; index < done.Length; index++)
            done[index] = (_bits[index / 64] & (1UL << (index % 64))) != 0;
        ulong before = Next;
        ulong doneFrom = Low;
        Array.Clear(_bits);
        Low = Next = low;
        for (ulong number = doneFrom; number < before; number++) Mark(number);
        for (int index = 0; index < done.Length; index++)
        {
            if (done[index]) Mark(before + (ulong)index);
        }
    }

    private void Mark(ulong number)
    {
        ulong at = number - Next;
        while (at >= (ulong)(_bits.Length * 64)) Array.Resize(ref _bits, 2 * _bits.Length);
        _bits[at / 64] |= 1UL << (int)(at % 64);
    }

    private void Advance()
    {
        while ((_bits[0] & 1) != 0)
        {
            int run = System.Numerics.BitOperations.TrailingZeroCount(~_bits[0]);
            Shift(run);
            Next += (ulong)run;
        }
    }

    private void Shift(int run)
    {
        if (run == 64)
        {
            Array.Copy(_bits, 1, _bits, 0, _bits.Length - 1);
            _bits[^1] = 0;
            return;
        }
        for (int index = 0; index < _bits.Length; index++)
        {
            ulong above = index + 1 < _bits.Length ? _bits[index + 1] << (64 - run) : 0;
            _bits[index] = (_bits[index] >> run) | above;
        }
    }
}
