using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>Walks the instructions of a method's body and yields the metadata tokens among their operands.</summary>
internal static class IlTokens
{
    private static readonly Dictionary<int, OperandType> Operands = typeof(OpCodes).GetFields()
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => code.Value & 0xFFFF, code => code.OperandType);

    public static List<EntityHandle> In(BlobReader il)
    {
        var tokens = new List<EntityHandle>();
        while (il.RemainingBytes > 0)
        {
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
                    tokens.Add(MetadataTokens.EntityHandle(il.ReadInt32()));
                    break;
                default:
                    il.Offset += 4;
                    break;
            }
        }
        return tokens;
    }
}
