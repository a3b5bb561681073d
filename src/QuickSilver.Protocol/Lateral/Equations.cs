using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Combinations that cannot be solved yet, and the elimination that solves them: any k independent combinations give k
/// unknown packets, whatever packets they mix.
/// <para>
/// Idea: each combination that is kept has a pivot, a packet of its own. A new one is freed of all pivots first. So no
/// combination contains the pivot of an older one. What is left with one packet gives that packet. Then it is known,
/// and put into the others. Exclusive or is the case in which all coefficients are 1.
/// </para>
/// <para>
/// Awkward cases: a full store drops its oldest. A combination that has grown beyond its bound is dropped, too. A
/// packet that is known by another way may be a pivot: its combination is then entered again. Core thread only.
/// Allocates nothing once it has grown.
/// </para>
/// </summary>
internal sealed class Equations
{
    /// <summary>Limit on the combinations kept.</summary>
    public const int Capacity = 256;

    private const int MostUnknown = 128;

    private readonly List<Equation> _all = [];
    private readonly Stack<Equation> _free = new();
    private readonly Stack<Equation> _again = new();
    private readonly Dictionary<LateralId, Equation> _byPivot = [];
    private readonly Dictionary<LateralId, int> _uses = [];
    private readonly Queue<Equation> _solved = new();

    /// <summary>Combinations kept.</summary>
    public int Count => _all.Count;

    /// <summary>Combinations dropped because the store was full, or they had grown too long.</summary>
    public ulong Dropped { get; private set; }

    /// <summary>An empty combination to fill and <see cref="Enter"/>.</summary>
    public Equation Rent() => _free.TryPop(out Equation? equation) ? equation : new Equation();

    /// <summary>Gives a combination back that was not entered, or was taken as solved.</summary>
    public void Return(Equation equation) => _free.Push(equation);

    /// <summary>True when some combination has the packet among its unknown ones.</summary>
    public bool IsAwaited(in LateralId id) => _uses.ContainsKey(id);

    /// <summary>Enters a combination of which every packet is unknown.</summary>
    public void Enter(Equation equation)
    {
        Reduce(equation);
        if (equation.Count == 0)
        {
            Return(equation);
        }
        else if (equation.Count == 1)
        {
            _solved.Enqueue(equation);
        }
        else if (equation.Count > MostUnknown)
        {
            Dropped++;
            Return(equation);
        }
        else
        {
            if (_all.Count == Capacity)
            {
                Dropped++;
                Return(Remove(0));
            }
            _all.Add(equation);
            _byPivot[equation.Ids[0]] = equation;
            foreach (LateralId id in equation.Ids) _uses[id] = _uses.GetValueOrDefault(id) + 1;
        }
    }

    /// <summary>A packet is known: it is put into all combinations. Some may be solved by that.</summary>
    public void OnKnown(in LateralId id, ReadOnlySpan<byte> block)
    {
        if (!IsAwaited(id)) return;
        for (int index = _all.Count - 1; index >= 0; index--)
        {
            if (_all[index].Ids.Contains(id)) _again.Push(Remove(index));
        }
        while (_again.TryPop(out Equation? equation))
        {
            equation.Substitute(id, block);
            Enter(equation);
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

    private void Reduce(Equation equation)
    {
        bool isReduced = false;
        while (!isReduced && equation.Count <= 2 * MostUnknown)
        {
            isReduced = true;
            foreach (LateralId id in equation.Ids)
            {
                if (!_byPivot.TryGetValue(id, out Equation? known)) continue;
                byte factor = GaloisField.Multiply(
                    equation.CoefficientOf(id), GaloisField.Invert(known.CoefficientOf(id)));
                equation.AddProduct(known, factor);
                isReduced = false;
                break;
            }
        }
    }

    private Equation Remove(int index)
    {
        Equation equation = _all[index];
        _all.RemoveAt(index);
        foreach (LateralId id in equation.Ids)
        {
            if (_byPivot.TryGetValue(id, out Equation? owner) && owner == equation) _byPivot.Remove(id);
            int uses = _uses[id] - 1;
            if (uses == 0) _uses.Remove(id);
            else _uses[id] = uses;
        }
        return equation;
    }
}
