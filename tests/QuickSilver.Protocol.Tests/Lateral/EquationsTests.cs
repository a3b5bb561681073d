using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Lateral;

public sealed class EquationsTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AsManyIndependentCombinationsAsUnknownPacketsGiveThemAll(bool isField)
    {
        for (ulong seed = 1; seed <= 200; seed++)
        {
            var random = new SeededRandom(seed);
            int unknown = 1 + (int)random.NextBelow(12);
            LateralId[] ids = [.. Enumerable.Range(1, unknown).Select(number => new LateralId(9, 1, (ulong)number, 0))];
            byte[][] blocks = [.. ids.Select(_ => Bytes(random, 10 + (int)random.NextBelow(50)))];
            var equations = new Equations();
            var found = new Dictionary<LateralId, byte[]>();
            for (int tried = 0; tried < 400 && found.Count < unknown; tried++)
            {
                uint coding = isField ? (uint)(seed * 1000) + (uint)tried + 1 : 0;
                Equation equation = equations.Rent();
                int[] chosen = [.. Enumerable.Range(0, unknown).Where(_ => random.NextDouble() < 0.6)];
                if (chosen.Length == 0) continue;
                byte[] sum = new byte[60];
                foreach (int index in chosen)
                    GaloisField.AddProduct(sum, blocks[index], LateralRepairBody.CoefficientOf(coding, ids[index]));
                equation.Begin(sum);
                foreach (int index in chosen)
                {
                    byte coefficient = LateralRepairBody.CoefficientOf(coding, ids[index]);
                    if (found.TryGetValue(ids[index], out byte[]? known))
                        GaloisField.AddProduct(equation.Sum, known, coefficient);
                    else equation.AddTo(ids[index], coefficient);
                }
                equations.Enter(equation);
                Drain(equations, found, ids, blocks);
            }
            Assert.Equal(unknown, found.Count);
            Assert.Equal(0, equations.Count);
        }
    }

    [Fact]
    public void APacketThatComesByItselfIsPutIntoAllCombinations()
    {
        var random = new SeededRandom(3);
        LateralId one = new(9, 1, 1, 0), two = new(9, 1, 2, 0), three = new(9, 1, 3, 0);
        byte[] a = Bytes(random, 20), b = Bytes(random, 20), c = Bytes(random, 20);
        var equations = new Equations();
        Enter(equations, (one, a), (two, b));
        Enter(equations, (two, b), (three, c));
        Assert.True(equations.IsAwaited(three));
        equations.OnKnown(three, c);
        var found = new Dictionary<LateralId, byte[]>();
        Drain(equations, found, [one, two, three], [a, b, c]);
        Assert.Equal([one, two], found.Keys.Order());
    }

    [Fact]
    public void TheStoreIsBounded()
    {
        var equations = new Equations();
        for (uint index = 1; index <= 3 * Equations.Capacity; index++)
            Enter(equations, (new LateralId(9, index, 1, 0), [1]), (new LateralId(9, index, 2, 0), [2]));
        Assert.Equal(Equations.Capacity, equations.Count);
        Assert.Equal(2UL * Equations.Capacity, equations.Dropped);
    }

    [Fact]
    public void WhatACombinationCostsIsBoundedHoweverMuchIsMissing()
    {
        var random = new SeededRandom(11);
        var equations = new Equations();
        for (int entered = 1; entered <= 5000; entered++)
        {
            ulong before = equations.Additions;
            var parts = new Dictionary<LateralId, byte[]>();
            while (parts.Count < 4) parts[new LateralId(9, 1, 1 + random.NextBelow(300), 0)] = [1];
            Enter(equations, [.. parts.Select(part => (part.Key, part.Value))]);
            Assert.InRange(equations.Additions - before, 0UL, (ulong)(Equations.MostUnknown + Equations.Capacity));
            Assert.InRange(equations.Count, 0, Equations.Capacity);
        }
        Assert.True(equations.Dropped > 0, "nothing has grown too long");
    }

    private static void Enter(Equations equations, params (LateralId Id, byte[] Block)[] parts)
    {
        Equation equation = equations.Rent();
        byte[] sum = new byte[20];
        foreach ((_, byte[] block) in parts) GaloisField.Add(sum, block);
        equation.Begin(sum);
        foreach ((LateralId id, _) in parts) equation.AddTo(id, 1);
        equations.Enter(equation);
    }

    private static void Drain(
        Equations equations, Dictionary<LateralId, byte[]> found, LateralId[] ids, byte[][] blocks)
    {
        while (equations.TryTakeSolved(out LateralId id, out Equation equation))
        {
            byte[] block = blocks[Array.IndexOf(ids, id)];
            Assert.Equal(block, equation.Sum[..block.Length]);
            found[id] = block;
            equations.Return(equation);
            equations.OnKnown(id, block);
        }
    }

    private static byte[] Bytes(SeededRandom random, int length)
    {
        byte[] bytes = new byte[length];
        for (int index = 0; index < length; index++) bytes[index] = (byte)random.NextUInt64();
        return bytes;
    }
}
