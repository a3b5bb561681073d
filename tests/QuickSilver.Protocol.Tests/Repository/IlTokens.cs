using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>Walks the instructions of a method's body.</summary>
internal static class IlTokens
{
    private static readonly Dictionary<int, OperandType> Operands = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => code.Value & 0xFFFF, code => code.OperandType);

    /// <summary>The metadata tokens among the operands.</summary>
    public static List<EntityHandle> In(BlobReader il)
    {
        var tokens = new List<EntityHandle>();
        while (il.RemainingBytes > 0)
        {
            Next(ref il, out EntityHandle token);
            if (!token.IsNil) tokens.Add(token);
        }
        return tokens;
    }

    /// <summary>Whether any instruction returns: a body without one always throws.</summary>
    public static bool Returns(BlobReader il)
    {
        while (il.RemainingBytes > 0)
        {
            if (Next(ref il, out _) == OpCodes.Ret.Value) return true;
        }
        return false;
    }

    private static int Next(ref BlobReader il, out EntityHandle token)
    {
        token = default;
        int code = il.ReadByte();
        if (code == 0xFE) code = (code << 8) | il.ReadByte();
        switch (Operands[code])
        {
            case OperandType.InlineNone:
                break;
            case OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar:
                il.Offset += 1;
                break;
            case OperandType.InlineVar:
                il.Offset += 2;
                break;
            case OperandType.InlineI8 or OperandType.InlineR:
                il.Offset += 8;
                break;
            case OperandType.InlineSwitch:
                int targets = il.ReadInt32();
                il.Offset += 4 * targets;
                break;
            case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                token = MetadataTokens.EntityHandle(il.ReadInt32());
                break;
            default:
                il.Offset += 4;
                break;
        }
        return code;
    }
}
