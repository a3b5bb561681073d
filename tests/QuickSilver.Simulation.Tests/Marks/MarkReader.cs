using System.Reflection;
using System.Reflection.Emit;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Simulation.Tests.Marks;

/// <summary>
/// Reads the marks out of compiled code: the literals at the calls of <see cref="Probes.Reached"/>. A literal is the
/// instruction before the call, or before a jump to it: a choice between literals is compiled to such jumps.
/// </summary>
internal static class MarkReader
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance
        | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly MethodInfo Reached = typeof(Probes).GetMethod(nameof(Probes.Reached))!;

    private static readonly Dictionary<int, OpCode> OpCodesByValue = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value & 0xFFFF);

    /// <summary>The marks of an assembly, sorted, each once.</summary>
    /// <exception cref="InvalidOperationException">A call is given something else than literals: nobody can know what
    /// runs are to reach.</exception>
    public static string[] ReadFrom(Assembly assembly)
    {
        var marks = new SortedSet<string>(StringComparer.Ordinal);
        foreach (Type type in assembly.GetTypes())
        {
            foreach (MethodInfo method in type.GetMethods(Declared)) marks.UnionWith(ReadFrom(method));
            foreach (ConstructorInfo each in type.GetConstructors(Declared)) marks.UnionWith(ReadFrom(each));
        }
        return [.. marks];
    }

    /// <summary>The marks of one method or constructor.</summary>
    /// <exception cref="InvalidOperationException">As for an assembly.</exception>
    public static HashSet<string> ReadFrom(MethodBase method)
    {
        HashSet<string> marks = [];
        if (method.GetMethodBody()?.GetILAsByteArray() is not { } code) return marks;
        Instruction[] body = [.. Decode(code)];
        HashSet<int> calls = [.. body.Where(each => CallsReached(method, each)).Select(each => each.At)];
        if (calls.Count == 0) return marks;

        for (int index = 1; index < body.Length; index++)
        {
            bool isCall = calls.Contains(body[index].At);
            // Before a call may stand the jump of another choice, which goes to the call by itself.
            if (isCall && body[index - 1].Code.FlowControl == FlowControl.Branch) continue;
            if (!isCall && !calls.Contains(body[index].Target)) continue;
            Instruction literal = body[index - 1];
            if (literal.Code != OpCodes.Ldstr)
                throw new InvalidOperationException($"{method.DeclaringType}.{method.Name} gives a mark by a variable");
            marks.Add(method.Module.ResolveString(literal.Operand));
        }
        return marks;
    }

    private static bool CallsReached(MethodBase method, Instruction instruction)
    {
        if (instruction.Code != OpCodes.Call && instruction.Code != OpCodes.Callvirt) return false;
        Type[]? ofType = method.DeclaringType?.GetGenericArguments();
        Type[]? ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
        return method.Module.ResolveMethod(instruction.Operand, ofType, ofMethod) == Reached;
    }

    private static IEnumerable<Instruction> Decode(byte[] code)
    {
        for (int at = 0; at < code.Length;)
        {
            int begin = at;
            int value = code[at++];
            if (value == 0xFE) value = (value << 8) | code[at++];
            OpCode opCode = OpCodesByValue[value];
            int bytes = opCode.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(code, at)),
                _ => 4,
            };
            int operand = bytes switch
            {
                1 => (sbyte)code[at],
                4 => BitConverter.ToInt32(code, at),
                _ => 0,
            };
            at += bytes;
            bool jumps = opCode.OperandType is OperandType.InlineBrTarget or OperandType.ShortInlineBrTarget;
            yield return new Instruction(begin, opCode, operand, jumps ? at + operand : -1);
        }
    }

    private readonly record struct Instruction(int At, OpCode Code, int Operand, int Target);
}
