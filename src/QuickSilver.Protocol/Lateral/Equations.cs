using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Combinations that cannot be solved yet, and the elimination that solves them: any k independent combinations give k
/// unknown packets, whatever packets they mix.
/// <para>
/// Idea: each combination that is kept has a pivot, a packet that no other contains. A new one is freed of all pivots,
/// and its own is taken out of the others. What is left with one packet gives that packet. Then it is known, and put
/// into the others. Exclusive or is the case in which all coefficients are 1.
/// </para>
/// <para>
/// Awkward cases: a full store drops its oldest. A combination that has grown beyond its bound is dropped, too. A
/// packet that is known by another way may be a pivot: its combination is then entered again. At most
/// <see cref="MostUnknown"/> and <see cref="Capacity"/> additions a combination, however much is lost. Core thread
/// only. Allocates nothing once it has grown.
/// </para>
/// </summary>
internal sealed class Equations
{
    /// <summary>Limit on the combinations kept.</summary>
    public const int Capacity = 256;

    /// <summary>Limit on the unknown packets of one combination. Where more are missing, repairs are of no use; the
    /// cost of an addition grows with the square of this.</summary>
    public const int MostUnknown = 32;

    private readonly List<Equation> _all = [];
    private readonly Stack<Equation> _free = new();
    private readonly List<Equation> _within = [];
    private readonly Dictionary<LateralId, Equation> _byPivot = [];
    private readonly Dictionary<LateralId, int> _uses = [];
    private readonly Queue<Equation> _solved = new();

    /// <summary>Combinations kept.</summary>
    public int Count => _all.Count;

    /// <summary>Combinations dropped because the store was full, or they had grown too long.</summary>
    public ulong Dropped { get; private set; }

    /// <summary>Additions of one combination to another: what elimination costs.</summary>
    public ulong Additions { get; private set; }

    /// <summary>An empty combination to fill and <see cref="Enter"/>.</summary>
    public Equation Rent() => _free.TryPop(out Equation? equation) ? equation : new Equation();

    /// <summary>Gives a combination back that was not entered, or was taken as solved.</summary>
    public void Return(Equation equation) => _free.Push(equation);

    /// <summary>True when some combination has the packet among its unknown ones.</summary>
    public bool IsAwaited(in LateralId id) => _uses.ContainsKey(id);

    /// <summary>Enters a combination of which every packet is unknown.</summary>
    public void Enter(Equation equation)
    {
        if (equation.Count <= MostUnknown) Reduce(equation);
        if (!TryKeep(equation)) return;
        if (_all.Count == Capacity)
        {
            Dropped++;
            Return(Remove(0));
        }
        equation.Pivot = Rarest(equation);
        if (_uses.ContainsKey(equation.Pivot)) TakeOut(equation);
        _all.Add(equation);
        _byPivot[equation.Pivot] = equation;
        CountUses(equation, 1);
    }

    /// <summary>A packet is known: it is put into all combinations. Some may be solved by that.</summary>
    public void OnKnown(in LateralId id, ReadOnlySpan<byte> block)
    {
        if (!IsAwaited(id)) return;
        if (_byPivot.TryGetValue(id, out Equation? owner))
        {
            // No other contains it.
            Remove(_all.IndexOf(owner));
            owner.Substitute(id, block);
            Enter(owner);
            return;
        }
        for (int index = _all.Count - 1; index >= 0; index--)
        {
            Equation equation = _all[index];
            if (!equation.Ids.Contains(id)) continue;
            CountUses(equation, -1);
            equation.Substitute(id, block);
            CountUses(equation, 1);
            KeepOrRemove(index);
        }
    }

    /// <summary>Takes a combination that is solved: one packet is left in it.</summary>
    /// <param name="id">The packet.</param>
    /// <param name="equation">Its <see cref="Equation.Sum"/> is the packet's block; to be returned.</param>
    public bool TryTakeSolved(out LateralId id, out Equation equation)
    {
        id = default;
        if (!_solved.TryDequeue(out equation!)) return false;
        id = equation.Ids[0];
        byte inverse = GaloisField.Invert(equation.CoefficientOf(id));
        GaloisField.Scale(equation.Sum.AsSpan(0, equation.Length), inverse);
        return true;
    }

    /// <summary>Drops all combinations.</summary>
    public void Clear()
    {
        while (_all.Count > 0) Return(Remove(_all.Count - 1));
        _solved.Clear();
    }

    // Frees a new combination of all pivots. What is added has no further pivot, so one round is enough.
    private void Reduce(Equation equation)
    {
        _within.Clear();
        foreach (LateralId id in equation.Ids)
        {
            if (_byPivot.TryGetValue(id, out Equation? known)) _within.Add(known);
        }
        foreach (Equation known in _within) Cancel(equation, known);
    }

    // Takes the pivot of a new combination out of all that are kept.
    private void TakeOut(Equation equation)
    {
        for (int index = _all.Count - 1; index >= 0; index--)
        {
            Equation other = _all[index];
            if (!other.Ids.Contains(equation.Pivot)) continue;
            CountUses(other, -1);
            Cancel(other, equation);
            CountUses(other, 1);
            KeepOrRemove(index);
        }
    }

    private void Cancel(Equation equation, Equation owner)
    {
        Debug.Assert(equation != owner && equation.Ids.Contains(owner.Pivot), "the pivot is in the combination");
        byte factor = GaloisField.Multiply(
            equation.CoefficientOf(owner.Pivot), GaloisField.Invert(owner.CoefficientOf(owner.Pivot)));
        equation.AddProduct(owner, factor);
        Additions++;
    }

    private void KeepOrRemove(int index)
    {
        if (_all[index].Count is > 1 and <= MostUnknown) return;
        TryKeep(Remove(index));
    }

    // False: it is solved, says nothing, or is too long.
    private bool TryKeep(Equation equation)
    {
        switch (equation.Count)
        {
            case 0:
                Return(equation);
                return false;
            case 1:
                _solved.Enqueue(equation);
                return false;
            case > MostUnknown:
                Dropped++;
                Return(equation);
                return false;
            default:
                return true;
        }
    }

    // The packet that the fewest others contain: the least work, and the least growth of others.
    private LateralId Rarest(Equation equation)
    {
        LateralId rarest = equation.Ids[0];
        int fewest = int.MaxValue;
        foreach (LateralId id in equation.Ids)
        {
            int uses = _uses.GetValueOrDefault(id);
            if (uses >= fewest) continue;
            fewest = uses;
            rarest = id;
        }
        return rarest;
    }

    private Equation Remove(int index)
    {
        Debug.Assert((uint)index < (uint)_all.Count, "the combination is kept");
        Equation equation = _all[index];
        _all.RemoveAt(index);
        _byPivot.Remove(equation.Pivot);
        CountUses(equation, -1);
        return equation;
    }

    private void CountUses(Equation equation, int change)
    {
        foreach (LateralId id in equation.Ids)
        {
            int uses = _uses.GetValueOrDefault(id) + change;
            Debug.Assert(uses >= 0, "each use is counted once");
            if (uses == 0) _uses.Remove(id);
            else _uses[id] = uses;
        }
    }
}
